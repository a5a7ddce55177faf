"""The libraries of the extra `text`: loaded with the first scorer that needs them, refused before anything runs."""

from __future__ import annotations

from importlib import import_module

from rejudge.domain.errors import ConfigurationError


def loaded(module: str, name: str, *, kind: str) -> object:
    """What `module` calls `name`; raises ConfigurationError, saying how to install it, where the library is missing."""
    try:
        found: object = getattr(import_module(module), name)
    except ImportError as error:
        library = module.partition(".")[0]
        missing = isinstance(error, ModuleNotFoundError) and error.name == library
        what = f"{library} is not installed" if missing else f"{library} cannot be loaded ({error})"
        raise ConfigurationError(f"{what}, and {kind} needs it", fix="pip install 'rejudge[text]'") from None
    return found
