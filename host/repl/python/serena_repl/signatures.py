"""A method's declaration as a Python signature, and arguments bound by it.

Binding is done by hand: ``inspect`` takes longer to import than a call takes.
"""

from __future__ import annotations

import operator
import os

from serena_repl.names import did_you_mean
from serena_repl.results import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from collections.abc import Mapping
    from typing import Any


def annotation(ref: dict[str, Any]) -> str:
    """A TypeRef as a Python annotation, without module paths."""
    name = ref["name"]
    if name == "list":
        return f"list[{annotation(ref['args'][0])}]"
    if name == "dict":
        return f"dict[str, {annotation(ref['args'][0])}]"
    if name == "optional":
        return f"{annotation(ref['args'][0])} | None"
    if name == "union":
        return " | ".join(annotation(arm) for arm in ref["args"])
    if name == "literal":
        return f"Literal[{', '.join(repr(v) for v in ref['values'])}]"
    return name


def signature_text(facade: str, decl: dict[str, Any]) -> str:
    """``facade.method(p: T = d, …) -> R``."""
    parts = []
    for p in decl["params"]:
        default = f" = {_default(p)!r}" if "default" in p else ""
        parts.append(f"{p['name']}: {annotation(p['type'])}{default}")
    return f"{facade}.{decl['name']}({', '.join(parts)}) -> {annotation(decl['result'])}"


def signature_object(decl: dict[str, Any]) -> inspect.Signature:
    """The signature as ``inspect`` has it; annotations are text."""
    from inspect import Parameter, Signature

    parameters = [
        Parameter(
            p["name"],
            Parameter.POSITIONAL_OR_KEYWORD,
            default=_default(p) if "default" in p else Parameter.empty,
            annotation=annotation(p["type"]),
        )
        for p in decl["params"]
    ]
    return Signature(parameters, return_annotation=annotation(decl["result"]))


def _default(param: dict[str, Any]) -> Any:
    value = param["default"]
    return () if value == [] else value


def bind(facade: str, decl: dict[str, Any], args: tuple, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Name the arguments of a call and make them JSON. Defaults are left to the host.

    A call that does not fit the signature is a TypeError that shows it, with the nearest legal name.
    """
    params = decl["params"]
    if len(args) > len(params):
        many = f"takes {len(params)} argument{'' if len(params) == 1 else 's'} but {len(args)} were given"
        raise _misfit(facade, decl, many)
    bound = {p["name"]: plain(value, p["name"]) for p, value in zip(params, args)}
    if kwargs:
        own_name = {alias: p["name"] for p in params for alias in (p["name"], *p.get("aliases", ()))}
        for name, value in kwargs.items():
            param = own_name.get(name)
            if param is None:
                names = [p["name"] for p in params]
                raise _misfit(facade, decl, f"has no parameter {name!r}{did_you_mean(name, names)}")
            if param in bound:
                raise _misfit(facade, decl, f"got more than one value for {param!r}")
            bound[param] = plain(value, param)
    if len(bound) < len(params):
        missing = [p["name"] for p in params if "default" not in p and p["name"] not in bound]
        if missing:
            raise _misfit(facade, decl, f"is missing {', '.join(map(repr, missing))}")
    return bound


def _misfit(facade: str, decl: dict[str, Any], what: str) -> TypeError:
    return TypeError(f"{facade}.{decl['name']} {what}\nsignature: {signature_text(facade, decl)}")


def plain(value: Any, param: str) -> Any:
    """An argument as JSON: paths are text, tuples and sets are lists, results are their data, enum members numbers.

    Text with lone surrogates is a UnicodeError: it has no UTF-8 form, and would reach a file or a command as other text.
    """
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is int:
        return value
    if isinstance(value, str):
        return _text(str.__str__(value), param)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"argument {param} is {value!r}, which has no JSON form")
        return float(value)
    if isinstance(value, Record):
        return value._data
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"argument {param} has the key {key!r}; keys must be str")
        return {_text(str.__str__(k), param): plain(v, param) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v, param) for v in value]
    if isinstance(value, os.PathLike):
        return _text(os.fsdecode(value), param)
    try:
        return int(operator.index(value))
    except TypeError:
        pass
    raise TypeError(f"argument {param} holds a {kind.__name__}; give str, numbers, bool, None, lists, dicts, paths or results")


def _text(value: str, param: str) -> str:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        what = f"{value[exc.start]!r} at position {exc.start}, half of a surrogate pair"
        raise UnicodeError(f"argument {param} holds {what}, which no file and no name can hold as text; bytes decoded with errors='surrogateescape' give such") from None
    return value
