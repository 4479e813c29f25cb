"""Errors of the host as Python exceptions.

An error's kind is the name of its class: the builtin exception of that name where there is one, otherwise a subclass of
:class:`SerenaError` that is made when first met. ``from serena_repl.errors import StaleError`` works for any kind whose name
ends in ``Error``. Every such exception has ``data``: what a program may read of it, or None.
"""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SerenaError(Exception):
    """An error of a kind that Python has no class for."""

    data: Any = None


class _PlainKeyError(KeyError):
    """A KeyError whose text is its message and not the message's repr."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple:
        return make_error, ("KeyError", str(self), getattr(self, "data", None))


_PlainKeyError.__name__ = _PlainKeyError.__qualname__ = "KeyError"
_PlainKeyError.__module__ = "builtins"


def error_class(kind: str) -> type[Exception]:
    """The exception class of a kind; the same one each time."""
    if kind == "KeyError":
        return _PlainKeyError
    builtin = getattr(builtins, kind, None)
    if isinstance(builtin, type) and issubclass(builtin, Exception):
        return builtin
    made = globals().get(kind)
    if isinstance(made, type) and issubclass(made, SerenaError):
        return made
    if not kind.isidentifier() or kind in globals():
        return SerenaError
    made = type(kind, (SerenaError,), {"__module__": __name__})
    globals()[kind] = made  # where pickle looks for it
    return made


def make_error(kind: str, message: str, data: Any = None) -> Exception:
    """The exception of an error that the host reported."""
    cls = error_class(kind)
    error: Exception | None = None
    for base in cls.__mro__:  # UnicodeDecodeError wants five arguments, its base one
        try:
            error = base(message)
            break
        except TypeError:
            continue
    if not isinstance(error, Exception):
        error = SerenaError(message)
    error.data = data  # type: ignore[attr-defined]
    return error


def __getattr__(name: str) -> type[Exception]:
    if name.endswith("Error") and not name.startswith("_"):
        return error_class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
