"""The calls that skills publish, as text made from the functions themselves.

A skill is a module. It publishes the functions that its ``__all__`` names, or without one its own public functions.
Nothing of a signature is kept: each text is made when it is asked for, so it is never that of code which has changed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module, invalidate_caches
from types import FunctionType, ModuleType

from rlm._interrupt import call_user

_MAX_DEFAULT = 80  # characters
_MAX_REASON = 500


class Call:
    """One published function: where it is found, and what it is now."""

    __slots__ = ("module", "name", "function")

    def __init__(self, module: str, name: str, function: object) -> None:
        self.module = module
        self.name = name
        self.function = function

    @property
    def plain(self) -> object:
        """The function itself without the wrappers around it."""
        return inspect.unwrap(self.function)

    def signature(self) -> inspect.Signature:
        """What the function takes and returns, annotations as they are written."""
        return _signature(self.function)

    def text(self) -> str:
        """The call as one line: how it is named, its parameters, its result."""
        signature = self.signature()
        shown = f"{self.module}.{self.name}{_parameters(signature)}"
        if signature.return_annotation is not inspect.Signature.empty:
            shown += f" -> {_annotation(signature.return_annotation)}"
        return f"await {shown}" if inspect.iscoroutinefunction(self.plain) else shown


def import_all(names: list[str]) -> list[dict]:
    """Import the modules; return an entry with name and reason for each that will not."""
    failed = []
    invalidate_caches()  # a skill may have been written since the last import
    for name in dict.fromkeys(names):
        try:
            call_user(import_module, name)
        except KeyboardInterrupt:
            raise
        except BaseException as exc:
            reason = " ".join(f"{type(exc).__name__}: {exc}".split())
            failed.append({"name": name, "reason": reason[:_MAX_REASON]})
    return failed


def calls_of(modules: list[str]) -> list[Call]:
    """What these modules publish now; those that are not imported publish nothing."""
    found: list[Call] = []
    for name in dict.fromkeys(modules):
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            found += _published(name, module)
    return found


def modules_in(namespace: dict) -> list[str]:
    """The skill-shaped modules that cells have bound: those of the user's own that publish a function."""
    names = []
    for value in list(namespace.values()):
        if isinstance(value, ModuleType):
            name = value.__name__
            top = name.partition(".")[0]
            if sys.modules.get(name) is value and top not in sys.stdlib_module_names and top not in ("__main__", "rlm"):
                names.append(name)
    return names


def digest(calls: list[Call]) -> str:
    """One line a call, and one a result type: its name, and its fields with their types."""
    lines, shapes = [], {}
    for call in calls:
        lines.append(call.text())
        for kind in _result_types(call.plain):
            shapes.setdefault(kind, f"{kind.__name__}: " + ", ".join(f"{name}: {_annotation(type_)}" for name, type_ in _shape(kind)))
    return "\n".join([*lines, *shapes.values()])


def _published(module_name: str, module: ModuleType) -> Iterator[Call]:
    names = vars(module).get("__all__")
    if isinstance(names, (list, tuple)):
        names = [name for name in names if isinstance(name, str)]
        own = False
    else:
        names, own = [name for name in vars(module) if not name.startswith("_")], True
    for name in dict.fromkeys(names):
        value = vars(module).get(name)
        try:
            is_function = not isinstance(value, type) and isinstance(inspect.unwrap(value), FunctionType)
        except ValueError:
            continue  # wrappers in a ring
        if is_function and not (own and value.__module__ != module.__name__):
            yield Call(module_name, name, value)


def _signature(function: object) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.STRING)
    return inspect.signature(function)


def _parameters(signature: inspect.Signature) -> str:
    parts, kind_before = [], None
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if kind_before is parameter.POSITIONAL_ONLY and kind is not parameter.POSITIONAL_ONLY:
            parts.append("/")
        if kind is parameter.KEYWORD_ONLY and kind_before not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL):
            parts.append("*")
        parts.append(_parameter(parameter))
        kind_before = kind
    if kind_before is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return f"({', '.join(parts)})"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = f"{stars}{parameter.name}"
    typed = parameter.annotation is not parameter.empty
    if typed:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        text += (" = " if typed else "=") + _default(parameter.default)
    return text


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(value: object) -> str:
    try:
        text = " ".join(call_user(repr, value).split())
    except Exception:
        return "..."
    return text if len(text) <= _MAX_DEFAULT else "..."


def _result_types(function: object) -> list[type]:
    """The record types that the annotation of the result names, also inside of others as in ``list[Hit]``."""
    from typing import get_args, get_type_hints

    try:
        todo = [get_type_hints(function).get("return")]
    except Exception:
        return []  # an annotation that cannot be evaluated
    found = []
    while todo:
        kind = todo.pop(0)
        if isinstance(kind, type) and _shape(kind) and kind not in found:
            found.append(kind)
        todo += get_args(kind)
    return found


def _shape(kind: type) -> list[tuple[str, object]]:
    """Fields and types of a dataclass, a named tuple or a typed dict; empty for any other type."""
    if is_dataclass(kind):
        return [(field.name, field.type) for field in fields(kind)]
    is_record = issubclass(kind, tuple) and hasattr(kind, "_fields") or issubclass(kind, dict) and hasattr(kind, "__total__")
    if not is_record:
        return []
    hints = inspect.get_annotations(kind)
    return [(name, getattr(type_, "__forward_arg__", type_)) for name, type_ in hints.items()]
