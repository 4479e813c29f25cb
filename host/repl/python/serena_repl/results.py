"""Results as objects: plain data of a declared type, with attributes, equality, iteration and a rendering.

One class stands for each (facade, type name) as long as the process lives. Its declaration comes with the bindings and is
replaced with them; until there is one (a result revived before the first cell, a type that is gone) the class shows the
data's own keys.

A member may be lazy: where the data lacks it, reading it asks the host once and keeps the value. Nothing else asks. What was
fetched goes into pickles and copies, and counts neither for equality nor for the text. A member may be inherited: where the
data lacks it, its value is that of the record around.
"""

from __future__ import annotations

import json

from serena_repl import enums
from serena_repl.errors import make_error
from serena_repl.names import did_you_mean
from serena_repl.record_methods import RecordMethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_classes: dict[tuple[str, str], type[Record]] = {}
_declarations: dict[tuple[str, str], dict[str, Any]] = {}

# Turns (facade, type, data, policy) into text. Set by the bootstrap; None outside a host, where text is the repr.
renderer: Callable[[str, str, Any, dict[str, Any]], str] | None = None

# Turns (facade, method, data) into the value of a lazy member. Set by the bootstrap; None outside a host.
fetcher: Callable[[str, str, dict[str, Any]], Any] | None = None

_EMPTY = {"list": list, "dict": dict, "str": str, "int": int, "float": float, "bool": bool}
_SHOWN = 80  # characters of one member in a repr


class Record:
    """A result of the host. Read-only; its attributes are listed by ``dir()``."""

    _facade = ""
    _type = ""
    _members: dict[str, Any] | None = None  # name to TypeRef; None: not declared
    _items: str | None = None
    _lazy: dict[str, str] = {}  # name to the method that gives the value
    _inherited: tuple[str, ...] = ()
    _methods: dict[str, dict[str, Any]] = {}  # name to its declaration
    _whole = False  # a member tells of all items, so a slice is a plain list

    def __init__(self, data: dict[str, Any], policy: dict[str, Any]) -> None:
        self.__dict__["_data"] = data
        self.__dict__["_policy"] = policy

    def __getattr__(self, name: str) -> Any:
        # Reached once a member: the value is kept in the instance's dict.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in self._methods:
            return RecordMethod(self, self._methods[name])
        members = self._members
        if members is None:
            known, ref = name in self._data, None
        else:
            known, ref = name in members, members.get(name)
        if not known:
            shown = self.__dir__()
            raise AttributeError(
                f"{type(self).__name__} has no member {name!r}{did_you_mean(name, shown) or '.'} It has: {', '.join(shown) or 'none'}"
            )
        if self._is_due(name):
            value = convert(self._facade, ref, self._fetch(name), self._policy)
        else:
            value = convert(self._facade, ref, self._data.get(name), self._policy, self._data)
        self.__dict__[name] = value
        return value

    def _is_due(self, name: str) -> bool:
        """Whether reading the member would ask the host."""
        return name in self._lazy and name not in self._data and name not in self.__dict__

    def _fetch(self, name: str) -> Any:
        if fetcher is None:
            raise RuntimeError(f"{type(self).__name__}.{name} was not asked for, and there is no host to fetch it from")
        try:
            return fetcher(self._facade, self._lazy[name], self._data)
        except AttributeError as exc:  # hasattr() would take it for a member that is not there
            raise make_error("LookupError", str(exc), getattr(exc, "data", None)) from None

    def _kept(self) -> dict[str, Any]:
        """Members with what was fetched, in the record itself or in those within it."""
        members = [(name, value) for name, value in list(self.__dict__.items()) if not name.startswith("_")]
        lazy = self._lazy if self._members is not None else self.__dict__  # what an undeclared record has besides its data was fetched
        return {name: value for name, value in members if (name in lazy and name not in self._data) or _holds_fetched(value)}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is read-only; keep what you derive from it in a variable of your own")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is read-only")

    def __dir__(self) -> list[str]:
        return [*self._member_names(), *(name for name in self._methods if not name.endswith("_"))]

    def _member_names(self) -> list[str]:
        names = self._data if self._members is None else self._members
        return [name for name in names if not name.endswith("_")]

    __iter__: Any = None  # a record without items is not iterable

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            try:
                return getattr(self, index)
            except AttributeError as exc:
                raise KeyError(index) from exc
        if self._items is None:
            raise TypeError(f"{type(self).__name__} has no items to index; it has: {', '.join(self._member_names())}")
        if isinstance(index, slice) and self._whole:
            return getattr(self, self._items)[index]  # what else it holds is about all of them
        if isinstance(index, slice):
            data = {**self._data, self._items: (self._data.get(self._items) or [])[index]}
            part = type(self)(data, self._policy)
            if self._items in self.__dict__:  # the same elements, with what was fetched for them
                part.__dict__[self._items] = self.__dict__[self._items][index]
            return part
        return getattr(self, self._items)[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (self._facade, self._type, self._data) == (other._facade, other._type, other._data)

    def __hash__(self) -> int:
        return hash((self._facade, self._type, json.dumps(self._data, sort_keys=True)))

    def __reduce__(self) -> tuple:
        parts = (self._facade, self._type, self._data, self._policy)
        kept = self._kept()
        return (make_record, parts, kept) if kept else (make_record, parts)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)

    def __repr__(self) -> str:
        parts = [f"{name}={'<fetched when read>' if self._is_due(name) else _brief(getattr(self, name))}" for name in self._member_names()]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __str__(self) -> str:
        """What a model reads: the host's rendering, asked for once."""
        text = self.__dict__.get("_text")
        if text is None:
            if renderer is None:
                return repr(self)
            try:
                text = renderer(self._facade, self._type, self._data, self._policy)
            except LookupError:
                if self._members is not None:
                    raise
                return repr(self)  # the type is gone, the data is not
            self.__dict__["_text"] = text
        return text

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def make_record(facade: str, type_name: str, data: dict[str, Any], policy: dict[str, Any]) -> Any:
    """Build a result from its four parts. Pickles name this function, so name and parameters stay."""
    return record_class(facade, type_name)(data, policy)


def record_class(facade: str, type_name: str) -> type[Record]:
    """The class of a record type, declared or not; always the same one."""
    key = (facade, type_name)
    cls = _classes.get(key)
    if cls is None:
        cls = type(type_name, (Record,), {"__module__": __name__, "_facade": facade, "_type": type_name})
        _shape(cls, _declarations.get(key))
        _classes[key] = cls
    return cls


def declare(facade: str, declarations: list[dict[str, Any]]) -> None:
    """Take over a facade's declared types; classes that exist follow, with the instances that they have."""
    for declaration in declarations:
        key = (facade, declaration["name"])
        _declarations[key] = declaration
        if key in _classes:
            _shape(_classes[key], declaration)


def declared_type(facade: str, name: str) -> type | None:
    """The class of a declared record or enum; None if the facade declares no such type."""
    declaration = _declarations.get((facade, name))
    if declaration is None:
        return None
    if declaration["kind"] == "enum":
        return enums.enum_class(facade, declaration)
    if declaration["kind"] == "keyed_dict":  # a value of it is a plain dict: this class is for asking what the keys are
        return type(name, (dict,), {"__module__": __name__, "__doc__": declaration.get("doc") or None})
    return record_class(facade, name)


def _shape(cls: type[Record], declaration: dict[str, Any] | None) -> None:
    if declaration is None:
        return
    cls.__doc__ = declaration.get("doc") or None
    cls._members = {m["name"]: m.get("type") for m in declaration.get("members") or ()}
    cls._items = declaration.get("items") or None
    cls._lazy = {m["name"]: m["lazy"] for m in declaration.get("members") or () if m.get("lazy")}
    cls._inherited = tuple(m["name"] for m in declaration.get("members") or () if m.get("inherit"))
    cls._methods = {m["name"]: m for m in declaration.get("methods") or ()}
    cls._whole = any(m.get("whole") for m in declaration.get("members") or ())
    # Special methods count on the class only, and a record without items must have no length: it would be false.
    if cls._items:
        cls.__iter__, cls.__len__ = _iterate, _length  # type: ignore[attr-defined]
    elif "__len__" in cls.__dict__:
        del cls.__iter__, cls.__len__


def _iterate(self: Record) -> Iterator[Any]:
    return iter(getattr(self, self._items or ""))


def _length(self: Record) -> int:
    return len(self._data.get(self._items) or ())


def convert(facade: str, ref: dict[str, Any] | None, value: Any, policy: dict[str, Any], around: dict[str, Any] | None = None) -> Any:
    """JSON as the Python value that a TypeRef promises. Absent and null stand for the empty value, as in the host.

    ``around`` is the data of the record that the value is a member of.
    """
    if ref is None:
        return value
    if ref["name"] == "union":
        ref = _arm(ref, value)
    name = ref["name"]
    if name == "optional":
        return None if value is None else convert(facade, ref["args"][0], value, policy, around)
    if value is None:
        return _EMPTY[name]() if name in _EMPTY else None
    if name == "list" and isinstance(value, list):
        element = ref["args"][0]
        return list(value) if _is_plain(element) else [convert(facade, element, v, policy, around) for v in value]
    if name == "dict" and isinstance(value, dict):
        element = ref["args"][0]
        return dict(value) if _is_plain(element) else {k: convert(facade, element, v, policy, around) for k, v in value.items()}
    if name == "float":
        return float(value) if isinstance(value, int) else value
    if _is_plain(ref) or name in ("list", "dict"):
        return value
    return convert_declared(facade, name, value, policy, around)


def convert_declared(facade: str, name: str, value: Any, policy: dict[str, Any], around: dict[str, Any] | None = None) -> Any:
    """JSON as a value of a record, enum or keyed dict type."""
    declaration = _declarations.get((facade, name))
    if isinstance(value, dict) and declaration is not None and declaration["kind"] == "keyed_dict":
        refs = {m["name"]: m.get("type") for m in declaration.get("members") or ()}
        return {key: convert(facade, refs.get(key), v, policy) for key, v in value.items()}
    if isinstance(value, dict):
        cls = record_class(facade, name)
        if around:
            inherited = {n: around[n] for n in cls._inherited if n not in value and n in around}
            if inherited:
                value = {**value, **inherited}
        return cls(value, policy)
    if declaration is not None and declaration["kind"] == "enum" and isinstance(value, int):
        return enums.member(enums.enum_class(facade, declaration), value)
    return value


# What the values of a plain type are in JSON; a value of a declared type comes with its name.
_FORMS = {"str": str, "literal": str, "bool": bool, "int": int, "float": (int, float), "list": list, "dict": dict, "None": type(None)}


def _arm(ref: dict[str, Any], value: Any) -> dict[str, Any]:
    """The plain type of a union that the value is of."""
    for arm in ref["args"]:
        form = _FORMS.get(arm["name"])
        if form is not None and isinstance(value, form) and (arm["name"] == "bool" or not isinstance(value, bool)):
            return arm
    return {"name": "Any"}


def _holds_fetched(value: Any) -> bool:
    if isinstance(value, Record):
        return bool(value._kept())
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    return any(_holds_fetched(v) for v in value)


def _is_plain(ref: dict[str, Any]) -> bool:
    return ref["name"] in ("str", "int", "bool", "None", "Any", "literal")


def _brief(value: object) -> str:
    if isinstance(value, (list, tuple, dict)) and len(value) > 3:
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
