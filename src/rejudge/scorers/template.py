"""A prompt template: Jinja text over the parts of a view, checked when it is made, and filled before any spend.

Expressions in it are those of `expression.py`, and so are the rules for what is not there. Judged text that is put in
cannot close the template's tags.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from jinja2 import TemplateSyntaxError, nodes
from msgspec import to_builtins

from rejudge.domain.errors import ConfigurationError, Place, ScorerError
from rejudge.domain.verdict import Skip
from rejudge.domain.view import View, as_text
from rejudge.scorers.evaluation import RETURNED, SPANS, Names, Step, build, source_of
from rejudge.scorers.expression import SKIPS, recorded_spans
from rejudge.scorers.filters import SANDBOX
from rejudge.scorers.gap import Gap
from rejudge.scorers.parts import PARTS, message
from rejudge.scorers.syntax import Source, check_tree, fields_read, names_read, spans_read
from rejudge.scorers.tagging import Guard, unmarked
from rejudge.scorers.undefined import Failed, Missing
from rejudge.scorers.wording import kind

LONGEST_TEMPLATE: Final = 100_000
"""Of what is compiled, in characters."""

JUDGED: Final = frozenset({"final_message", "output", "trace", "task_input"})
"""A template that reads none of these would judge every trace alike."""

TRUSTED: Final = frozenset({"criteria", "judge_instructions", "rubric", "tools"})
"""Words of whoever set the judge up, which are put in as they are."""

Write: TypeAlias = "Callable[[Mapping[str, object], list[str]], None]"
"""Adds a part of the text for these names."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The names that may be read at a place of the template; those of loops with the name they come from."""

    names: Collection[str]
    loops: Mapping[str, str]

    def root(self, tree: nodes.Node) -> str:
        """The part of the view that an expression over loop variables comes from."""
        return next((self.loops[name] for name in sorted(names_read(tree)) if self.loops.get(name)), "")


class Template:
    """A text with expressions over the parts of a view and the names `beside` them.

    `fields` are the item fields that it reads by name, or None where that depends on the data; `reads` all its names.
    """

    __slots__ = ("_guard", "_parameter", "_parts", "_reads_spans", "_write", "fields", "reads")

    def __init__(self, text: str, *, parameter: str, beside: Collection[str] = ()) -> None:
        source = Source(text.replace("\r\n", "\n"), parameter, state="root")
        self._parameter = parameter
        tree = _parsed(source)
        self._guard = Guard(node.data for node in tree.find_all(nodes.TemplateData))
        try:
            self._write = self._block(tree.body, source, _Scope((*PARTS, *beside), {}))
        except RecursionError:
            raise source.refused("the template is nested too deeply") from None
        self.reads = frozenset(names_read(tree))
        self.fields = fields_read(tree, ("reference_data", "item"))
        self._reads_spans = spans_read(tree) > 0
        self._parts = [(name, read) for name, read in PARTS.items() if name in self.reads]

    def filled(self, view: View, beside: Mapping[str, object] | None = None) -> str | Gap:
        """The text for one view, or the Gap that keeps it from being asked.

        Raises ScorerError where the template itself is at fault and nothing that it read.
        """
        names: dict[str, object] = {name: _read(name, read(view), view) for name, read in self._parts}
        if self._reads_spans:
            names[SPANS] = recorded_spans(view)
        names |= beside or {}
        names[RETURNED] = view.extra
        written: list[str] = []
        try:
            self._write(names, written)
        except _Undefined as missing:
            no_trace = Skip.MISSING_TRACE if missing.root == "trace" and view.trace is None else None
            return self._gap(missing.root, missing.why, cause=no_trace or SKIPS.get(missing.root))
        except Failed as failure:
            return self._gap(failure.root, failure.why, cause=Skip.EXTRACTION_FAILED)
        return "".join(written)

    def _gap(self, root: str, why: str, *, cause: Skip | None) -> Gap:
        if not root:
            raise ScorerError(f"{self._parameter}: {why}", fix="mend the template; nothing that it reads is at fault")
        return Gap(cause, f"{self._parameter}: {why}, under {root}")

    def _block(self, body: list[nodes.Node], source: Source, scope: _Scope) -> Write:
        parts = [self._part(node, source, scope) for node in body]

        def write(names: Mapping[str, object], written: list[str]) -> None:
            for part in parts:
                part(names, written)

        return write

    def _part(self, node: nodes.Node, source: Source, scope: _Scope) -> Write:
        match node:
            case nodes.Output():
                return self._block(list(node.nodes), source, scope)
            case nodes.TemplateData(data=data):
                return lambda names, written: written.append(data)
            case nodes.If():
                return self._condition(node, source, scope)
            case nodes.For():
                return self._loop(node, source, scope)
            case nodes.Expr():
                return self._value(node, source, scope)
        what = type(node).__name__.lower()
        raise source.refused(f"{what} is not part of a prompt template", fix="use {{ … }}, {% if %} and {% for %}")

    def _value(self, node: nodes.Expr, source: Source, scope: _Scope) -> Write:
        check_tree(node, source, scope.names)
        step, loop_root = build(node), scope.root(node)
        neutral = self._neutral(node, scope)

        def write(names: Mapping[str, object], written: list[str]) -> None:
            value = _evaluated(step, names, loop_root)
            if value is None and not loop_root and (root := source_of(node, names)):
                raise _Undefined(root, "null")
            written.append(neutral(as_text(value)))

        return write

    def _neutral(self, node: nodes.Expr, scope: _Scope) -> Callable[[str], str]:
        """What makes the text of this place harmless; a loop may call anything by a trusted name."""
        if names_read(node) <= TRUSTED - scope.loops.keys():
            return str
        guarded = self._guard.neutral
        return guarded if _is_tagged(node) else lambda text: guarded(unmarked(text))

    def _condition(self, node: nodes.If, source: Source, scope: _Scope) -> Write:
        tests = []
        for branch in (node, *node.elif_):
            test = cast("nodes.Expr", branch.test)
            check_tree(test, source, scope.names)
            tests.append((_truth(test), scope.root(test), self._block(branch.body, source, scope)))
        other = self._block(node.else_, source, scope)

        def write(names: Mapping[str, object], written: list[str]) -> None:
            for test, loop_root, body in tests:
                if _rooted(test, names, loop_root):
                    return body(names, written)
            return other(names, written)

        return write

    def _loop(self, node: nodes.For, source: Source, scope: _Scope) -> Write:
        targets = node.target.items if isinstance(node.target, nodes.Tuple) else [node.target]
        if node.recursive or node.test or not all(isinstance(one, nodes.Name) for one in targets):
            raise source.refused("a loop is written {% for name in list %}", source.place_of("for"))
        over = cast("nodes.Expr", node.iter)
        check_tree(over, source, scope.names)
        own = [cast("nodes.Name", one).name for one in targets]
        step, loop_root = build(over), scope.root(over)
        root = loop_root or next((name for name in JUDGED | {*SKIPS} if name in names_read(over)), "")
        inner = _Scope((*scope.names, *own, "loop"), {**scope.loops, **dict.fromkeys(own, root), "loop": ""})
        body, otherwise = self._block(node.body, source, inner), self._block(node.else_, source, scope)

        def write(names: Mapping[str, object], written: list[str]) -> None:
            members = _members(_evaluated(step, names, loop_root), root)
            for index, one in enumerate(members):
                values = [one] if len(own) == 1 else _unpacked(one, len(own), root)
                place = {"index": index + 1, "index0": index, "first": index == 0, "last": index + 1 == len(members)}
                body({**names, **dict(zip(own, values, strict=True)), "loop": place}, written)
            if not members:
                otherwise(names, written)

        return write


def _is_tagged(node: nodes.Node) -> bool:
    """Whether all text that an expression makes stands between tags of `tagged` or in the template itself."""
    match node:
        case nodes.Filter(name="tagged") | nodes.Const():
            return True
        case nodes.CondExpr(expr1=then, expr2=otherwise):
            return _is_tagged(then) and (otherwise is None or _is_tagged(otherwise))
        case nodes.Concat(nodes=parts):
            return all(map(_is_tagged, parts))
    return False


class _Undefined(Exception):
    """A value that is put into the text and is not there."""

    def __init__(self, root: str, why: str) -> None:
        super().__init__(why)
        self.root = root
        self.why = why


def _parsed(source: Source) -> nodes.Template:
    if not source.text.strip():
        raise source.refused("the template is empty", fix="leave the parameter out to take the default prompt")
    if len(source.text) > LONGEST_TEMPLATE:
        raise ConfigurationError(f"{source.parameter} is longer than {LONGEST_TEMPLATE:,} characters")
    try:
        return SANDBOX.parse(source.text)
    except TemplateSyntaxError as error:
        place = Place(file=source.parameter, line=error.lineno, column=1)
        raise source.refused((error.message or "").removesuffix("."), place) from None
    except RecursionError:
        raise source.refused("the template is nested too deeply") from None


def _read(name: str, value: object, view: View) -> object:
    """A part of the view as the template finds it; a null trace or output is nothing, so that `{% if %}` can ask."""
    if name == "final_message":
        value = message(view)
    if value is None and name in ("final_message", "output"):
        return Missing(name, "the output is null")
    if value is None and name == "trace":
        return Missing(name, "none was recorded")
    return to_builtins(value) if name == "usage" else value


def _rooted(step: Step, names: Mapping[str, object], loop_root: str) -> object:
    try:
        return step(names)
    except _Undefined as missing:
        raise _Undefined(missing.root or loop_root, missing.why) from None
    except Failed as failure:
        raise Failed(failure.root or loop_root, failure.why) from None


def _truth(node: nodes.Expr) -> Step:
    """Asks whether a condition holds. Nothing where a name is asked for by itself is false; done anything with, it is
    as missing as in the text."""
    match node:
        case nodes.And(left=left, right=right):
            both = _truth(left), _truth(right)
            return lambda names: all(step(names) for step in both)
        case nodes.Or(left=left, right=right):
            either = _truth(left), _truth(right)
            return lambda names: any(step(names) for step in either)
        case nodes.Not(node=inner):
            negated = _truth(inner)
            return lambda names: not negated(names)
    step, asked = build(node), isinstance(node, nodes.Name | nodes.Getattr | nodes.Getitem)

    def holds(names: Names) -> object:
        value = step(names)
        if isinstance(value, Missing) and not asked:
            raise _Undefined(value.root, value.why)
        return value

    return holds


def _evaluated(step: Step, names: Mapping[str, object], loop_root: str) -> object:
    value = _rooted(step, names, loop_root)
    for one in value if isinstance(value, list) else (value,):
        if isinstance(one, Missing):
            raise _Undefined(one.root or loop_root, one.why)
    return value


def _members(value: object, root: str) -> list[object]:
    if not isinstance(value, list | dict):
        raise Failed(root, f"a loop needs a list, not {kind(value)}")
    return list(value)


def _unpacked(value: object, count: int, root: str) -> list[object]:
    if not isinstance(value, list | tuple) or len(value) != count:
        raise Failed(root, f"a loop over {count} names needs lists of {count}, not {kind(value)}")
    return list(value)
