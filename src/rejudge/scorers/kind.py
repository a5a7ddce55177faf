"""A kind of scorer: the parameters that make one, their schema, and examples that are tests and documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from typing import Annotated, ClassVar, Final, ParamSpec, Protocol, TypeAlias

import msgspec

from rejudge.domain.call import Answered
from rejudge.domain.errors import UnknownName
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers.prompt import Prompt
from rejudge.scorers.scorer import Scorer

P = ParamSpec("P")

MAKES: Final = "_rejudge_makes"
"""The attribute of a function that makes scorers which names their kind: the function itself judges nothing."""

AnyValue: TypeAlias = Annotated[object, msgspec.Meta(description="Any value that JSON has.")]
"""What stands for `object` inside the lists and mappings of parameters, for there it needs a description."""


class Parameters(Protocol):
    """What a kind is told; a frozen `msgspec.Struct` that refuses unknown fields."""

    __struct_fields__: ClassVar[tuple[str, ...]]

    def scorer(self) -> Scorer:
        """The scorer with these parameters; raises ConfigurationError where they make none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One case of a kind: parameters, a view, and the verdict on it.

    `replies` are what the calls of a scorer that asks are answered with, in their order, those of models as their
    text; `other` is the second view of a judge of pairs.
    """

    what: str
    parameters: Mapping[str, object]
    view: View
    verdict: Verdict
    replies: tuple[str | Answered, ...] = ()
    other: View | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of scorer under the name that a file or a call gives it; a judge shows the prompt that it comes with."""

    name: str
    parameters: type[Parameters]
    examples: tuple[Example, ...]
    prompt: Prompt | None = None

    def create(self, given: Mapping[str, object]) -> Scorer:
        """The scorer; raises ConfigurationError or UnknownName with the parameter that is wrong."""
        _refuse_strangers(f"parameter of {self.name}", given, self.parameters.__struct_fields__)
        scores = given.get("scores")
        for score in scores if isinstance(scores, list | tuple) else ():
            if isinstance(score, Mapping):
                _refuse_strangers("setting of a score", score, ScoreSpec.__struct_fields__)
        try:
            parameters = msgspec.convert(dict(given), self.parameters)
        except msgspec.ValidationError as error:
            from rejudge.domain.refusal import refusal

            raise refusal(error, self.parameters, whose=self.name, whole="its parameters") from None
        return parameters.scorer()

    def schema(self) -> dict[str, object]:
        """The JSON schema of the parameters."""
        return msgspec.json.schema(self.parameters, schema_hook=_any_value)


def constructor(kind: Kind, parameters: Callable[P, Parameters]) -> Callable[P, Scorer]:
    """The function that makes a scorer of `kind` and takes the parameters by name."""

    def create(*given: P.args, **named: P.kwargs) -> Scorer:
        if given:
            raise TypeError(f"{kind.name}() takes its parameters by name")
        return kind.create(named)

    update_wrapper(create, parameters)
    create.__name__ = create.__qualname__ = kind.name
    setattr(create, MAKES, kind.name)
    return create


def _refuse_strangers(what: str, given: Iterable[object], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise UnknownName.among(what, str(name), known)


def _any_value(type_: type) -> dict[str, object]:
    if type_ is object:
        return {}
    raise NotImplementedError(f"{type_!r} has no JSON schema")
