"""Facades and their methods as the host declared them in one generation of bindings."""

from __future__ import annotations

from serena_repl import results
from serena_repl.bridge import Bridge
from serena_repl.names import did_you_mean
from serena_repl.signatures import bind, signature_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from collections.abc import Coroutine
    from typing import Any


class Bindings:
    """What the host allows, until something else is allowed: then ``current`` becomes false for good."""

    def __init__(self, bridge: Bridge, generation: str, facades: list[dict[str, Any]], refused: dict[str, str] | None = None) -> None:
        self.bridge = bridge
        self.generation = generation
        self.refused = refused or {}  # "facade" or "facade.method" that exist but may not be used, and why
        self.current = True
        self.declarations = {f["name"]: f for f in facades}
        self._facades: dict[tuple[str, bool], Facade] = {}
        for name, declaration in self.declarations.items():
            results.declare(name, declaration.get("types") or [])

    def facade(self, name: str, awaitable: bool) -> Facade | None:
        """The facade of that name, made when first asked for; None if there is none."""
        key = (name, awaitable)
        made = self._facades.get(key)
        if made is None and name in self.declarations:
            made = self._facades[key] = Facade(self, self.declarations[name], awaitable)
        return made


class Facade:
    """One attribute of ``s``. ``dir()`` lists its methods, ``s.info("name")`` documents them."""

    def __init__(self, bindings: Bindings, declaration: dict[str, Any], awaitable: bool) -> None:
        self._bindings = bindings
        self._declaration = declaration
        self._awaitable = awaitable
        self._name: str = declaration["name"]
        summary, doc = declaration.get("summary", ""), declaration.get("doc", "")
        self.__doc__ = f"{summary}\n\n{doc}".strip()

    def __getattr__(self, name: str) -> Any:
        # Reached once a method: it is kept in the instance's dict.
        if name.startswith("_"):
            raise AttributeError(f"facade {self.__dict__.get('_name', '')} has no attribute {name!r}")
        for decl in self._declaration["methods"]:
            if decl["name"] == name:
                made = _method_class(decl, self._awaitable)(self._bindings, self._name, decl)
                self.__dict__[name] = made
                return made
        declared = results.declared_type(self._name, name)
        if declared is not None:
            return declared
        reason = self._bindings.refused.get(f"{self._name}.{name}")
        if reason is not None:
            raise AttributeError(reason)
        names = self._method_names()
        raise AttributeError(
            f"s.{self._name} has no method {name!r}{did_you_mean(name, names) or '.'} It has: {', '.join(names)}. "
            f's.info("{self._name}") documents them'
        )

    def __reduce__(self) -> tuple:
        raise TypeError(f"s.{self._name} is not stored: it belongs to this configuration; use s.{self._name} again")

    def _method_names(self) -> list[str]:
        # A name that ends in "_" is there for plugins and the runtime.
        return [decl["name"] for decl in self._declaration["methods"] if not decl["name"].endswith("_")]

    def __dir__(self) -> list[str]:
        return self._method_names() + [t["name"] for t in self._declaration.get("types") or ()]

    def __repr__(self) -> str:
        where = f"s.aio.{self._name}" if self._awaitable else f"s.{self._name}"
        return (
            f"{where} – {self._declaration.get('summary', '')}\n"
            f"methods: {', '.join(self._method_names())}\n"
            f'documentation: s.info("{self._name}")'
        )


def _method_class(decl: dict[str, Any], awaitable: bool) -> type[Method]:
    if decl.get("kind") == "context_manager":
        from serena_repl import contexts  # here, since few facades need it

        return contexts.AsyncContextMethod if awaitable else contexts.ContextMethod
    return AsyncMethod if awaitable else Method


class Method:
    """One operation of a facade. Calling it asks the host and waits."""

    _prefix = "s."

    def __init__(self, bindings: Bindings, facade: str, decl: dict[str, Any]) -> None:
        self._bindings = bindings
        self._facade = facade
        self._decl = decl
        self.__name__: str = decl["name"]
        self.__qualname__ = f"{facade}.{decl['name']}"
        self.__doc__ = documentation(decl)

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_object(self._decl)

    def __repr__(self) -> str:
        return f'<method {self._prefix}{self.__qualname__}, documented by s.info("{self.__qualname__}")>'

    def __reduce__(self) -> tuple:
        raise TypeError(f"s.{self.__qualname__} is not stored: it belongs to this configuration; use s.{self.__qualname__} again")

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        fields = self._request(args, kwargs)
        return self._value(self._bindings.bridge.ask("call", fields))

    def _request(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        if not self._bindings.current:
            raise RuntimeError(
                f"{self.__qualname__} was stored before the configuration or project changed; "
                f"use {self._prefix}{self.__qualname__} again (s is always up to date)"
            )
        return {"facade": self._facade, "method": self.__name__, "args": bind(self._facade, self._decl, args, kwargs)}

    def on_record(self, record: results.Record, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Call it with the record's data as its first argument, as the record's method ``name``."""
        decl = {**self._decl, "name": name, "params": self._decl["params"][1:]}
        fields = self._request((record,), bind(record._type, decl, args, kwargs))
        return self._value(self._bindings.bridge.ask("call", fields))

    def _value(self, result: dict[str, Any]) -> Any:
        policy = result.get("policy") or {}
        if result.get("type"):
            return results.convert_declared(self._facade, result["type"], result.get("value"), policy)
        return results.convert(self._facade, self._decl["result"], result.get("value"), policy)


class AsyncMethod(Method):
    """The same operation, to be awaited; several may run at once. The call's shape is checked before the await."""

    _prefix = "s.aio."

    def __call__(self, /, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return self._run(self._request(args, kwargs))

    async def _run(self, fields: dict[str, Any]) -> Any:
        return self._value(await self._bindings.bridge.ask_async("call", fields))


def documentation(decl: dict[str, Any]) -> str:
    """The text of a method's ``__doc__``."""
    lines = [decl.get("summary", ""), "", decl.get("doc", "")]
    described = [p for p in decl["params"] if p.get("doc")]
    if described:
        lines += ["", *(f"- {p['name']}: {p['doc']}" for p in described)]
    return "\n".join(lines).strip()
