"""Enumerations of cells in pickles. dill takes apart a class and its attributes, and an enumeration's are instances of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import EnumMeta
from types import FunctionType


def saver(locatable: Callable[[type], bool]) -> Callable:
    """The function that saves an enumeration: as its name where that is importable, or else as its parts."""

    def save(pickler, enumeration: EnumMeta) -> None:
        if locatable(enumeration):
            pickler.save_global(enumeration, name=enumeration.__qualname__)
            return
        if any("__new_member__" in vars(base) and base.__module__ != "enum" for base in enumeration.__mro__):
            raise TypeError(f"the enumeration {enumeration.__name__} has a __new__ of its own: what it was given for each member is not known any more")
        members = [(name, member._value_) for name, member in enumeration.__members__.items()]
        space = vars(enumeration)
        own = {name: value for name, value in space.items() if name not in enumeration.__members__ and _is_of(enumeration, value)}
        own |= {name: space[name] for name in ("__module__", "__qualname__", "__doc__") if name in space}
        parts = (type(enumeration), enumeration.__name__, enumeration.__bases__, members, own)
        # These may hold members, so they come when the class is there.
        rest = {name: value for name, value in space.items() if name not in own and _is_plain(enumeration, name)}
        pickler.save_reduce(make_enum, parts, rest or None, obj=enumeration, state_setter=set_attributes)

    return save


def make_enum(metaclass: type, name: str, bases: tuple, members: list[tuple[str, object]], own: dict) -> EnumMeta:
    """Build an enumeration from its parts. Pickles name this function, so name and parameters stay."""
    space = metaclass.__prepare__(name, bases)
    for key, value in [*own.items(), *members]:
        space[key] = value
    return metaclass(name, bases, space)


def set_attributes(enumeration: EnumMeta, values: dict[str, object]) -> None:
    """Give an enumeration what are no members of it. Pickles name this function too."""
    for name, value in values.items():
        setattr(enumeration, name, value)


def _is_plain(enumeration: EnumMeta, name: str) -> bool:
    """True for an attribute that is neither a member nor machinery of enumerations, which has underscores around its names."""
    if name in enumeration.__members__:
        return False
    return name == "_boundary_" or not (name.startswith("_") and name.endswith("_"))


def _is_of(enumeration: EnumMeta, value: object) -> bool:
    """True for what the class statement itself defined, and not the machinery of enumerations."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    return isinstance(value, FunctionType) and value.__module__ == enumeration.__module__
