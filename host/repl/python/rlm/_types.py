"""Names of the type system in pickles. Python saves each as its name in its module, which for ``__main__`` says nothing."""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable

_FLAGS = {"covariant": "__covariant__", "contravariant": "__contravariant__", "infer_variance": "__infer_variance__"}
_NO_DEFAULT = getattr(typing, "NoDefault", None)


def make_parameter(kind: str, name: str, module: str, constraints: tuple, options: dict) -> object:
    """A type parameter; the present one of that name in ``__main__`` if it is the same. Pickles name this function and those below."""
    made = getattr(typing, kind)(name, *constraints, **options)
    made.__module__ = module
    present = _present(module, name)
    return present if type(present) is type(made) and _parts(present) == _parts(made) else made


def make_new_type(name: str, supertype: object, module: str) -> object:
    """What ``NewType`` makes."""
    made = typing.NewType(name, supertype)
    made.__module__ = module
    present = _present(module, name)
    return present if type(present) is type(made) and present.__supertype__ == supertype else made


def make_alias(name: str, value: object, parameters: tuple, module: str) -> object:
    """What a ``type`` statement makes, of the module that this was in."""
    space = {"__name__": module, "make": typing.TypeAliasType, "name": name, "value": value, "parameters": parameters}
    return eval("make(name, value, type_params=parameters)", space)  # it takes the module from its caller


def savers(by_name: Callable[[object, str], bool]) -> dict[type, Callable]:
    """The functions that save them, by type. ``by_name`` says whether an object is found in its module under a name."""

    def saver(make: Callable, parts: Callable[[object], tuple]) -> Callable:
        def save(pickler, obj: object) -> None:
            if by_name(obj, obj.__name__):
                pickler.save_global(obj, name=obj.__name__)
            else:
                pickler.save_reduce(make, parts(obj), obj=obj)

        return save

    found = {typing.NewType: saver(make_new_type, lambda made: (made.__name__, made.__supertype__, made.__module__))}
    for kind in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        if hasattr(typing, kind):
            found[getattr(typing, kind)] = saver(make_parameter, _parts)
    if hasattr(typing, "TypeAliasType"):
        found[typing.TypeAliasType] = saver(make_alias, lambda alias: (alias.__name__, alias.__value__, alias.__type_params__, alias.__module__))
    return found


def _parts(parameter: object) -> tuple:
    options = {option: True for option, name in _FLAGS.items() if getattr(parameter, name, False)}
    bound = getattr(parameter, "__bound__", None)
    if bound is not None:
        options["bound"] = bound
    default = getattr(parameter, "__default__", _NO_DEFAULT)
    if default is not _NO_DEFAULT:
        options["default"] = default
    return type(parameter).__name__, parameter.__name__, parameter.__module__, getattr(parameter, "__constraints__", ()), options


def _present(module: str, name: str) -> object:
    return vars(sys.modules["__main__"]).get(name) if module == "__main__" else None
