"""Declared enums as ``IntEnum`` classes, one for each (facade, type name)."""

from __future__ import annotations

from enum import IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_classes: dict[tuple[str, str], tuple[list, type[NamedInt]]] = {}


class NamedInt(IntEnum):
    """An int with a name. Its text is the name, the same on every version of Python."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec[-1:] in ("d", "x", "X", "b", "o", "n", "c") else format(self.name, spec)


def enum_class(facade: str, declaration: dict[str, Any]) -> type[NamedInt]:
    """The class of a declared enum; a new one only when its members changed."""
    key = (facade, declaration["name"])
    members = [(m["name"], m.get("value", 0)) for m in declaration.get("members") or ()]
    known = _classes.get(key)
    if known is not None and known[0] == members:
        return known[1]
    cls = NamedInt(declaration["name"], members, module=__name__)  # type: ignore[call-overload]
    cls.__doc__ = declaration.get("doc") or f"One of {', '.join(name for name, _ in members)}."
    cls.__reduce_ex__ = _reduce  # type: ignore[method-assign]  # pickle cannot find a class that was made here
    cls._facade_name_ = facade
    _classes[key] = (members, cls)
    return cls


def member(cls: type[NamedInt], value: int) -> int:
    """The member of that value; the plain number where the enum has none."""
    try:
        return cls(value)
    except ValueError:
        return value


def make_member(facade: str, type_name: str, value: int) -> int:
    """Revive a pickled member: a plain number when the enum is gone. Pickles name this function."""
    known = _classes.get((facade, type_name))
    return value if known is None else member(known[1], value)


def _reduce(self: NamedInt, _protocol: Any) -> tuple:
    return make_member, (type(self)._facade_name_, type(self).__name__, int(self))
