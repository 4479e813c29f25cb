"""Facades as the host declared them in one generation of bindings."""

from __future__ import annotations

from serena_repl import results
from serena_repl.bridge import Bridge
from serena_repl.methods import AsyncMethod, Method
from serena_repl.names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
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

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"s.{self._name} is read-only; keep what you make in a variable of your own")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"s.{self._name} is read-only")

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
