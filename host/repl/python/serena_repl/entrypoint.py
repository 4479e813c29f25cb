"""``s`` itself: the facades, and what belongs to the session alone."""

from __future__ import annotations

import types

from serena_repl.facades import Bindings, Facade, Method
from serena_repl.names import did_you_mean
from serena_repl.record_methods import RecordMethod
from serena_repl.results import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Names in the namespace that are not the user's, as in the protocol's list_names.
_NOT_USERS = frozenset({"s", "rlm", "mcp", "bash", "asyncio", "In", "Out", "get_ipython", "exit", "quit", "open"})
_SHOWN = 60  # characters of a value in vars()


class Facades:
    """The facades as attributes, always of the present generation."""

    _own: tuple[str, ...] = ()
    _prefix = "s."

    def __init__(self, awaitable: bool) -> None:
        self._awaitable = awaitable
        self._bindings: Bindings | None = None

    def __getattr__(self, name: str) -> Facade:
        if name.startswith("_"):
            raise AttributeError(f"s has no attribute {name!r}")
        facade = self._bindings.facade(name, self._awaitable) if self._bindings else None
        if facade is None:
            reason = self._bindings.refused.get(name) if self._bindings else None
            if reason is not None:
                raise AttributeError(reason)
            names = self.__dir__()
            raise AttributeError(f"{self._prefix[:-1]} has no facade {name!r}{did_you_mean(name, names) or '.'} It has: {', '.join(names)}")
        return facade

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{self._prefix[:-1]} is read-only; keep what you make in a variable of your own")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self._prefix[:-1]} is read-only")

    def __dir__(self) -> list[str]:
        return [*(self._bindings.declarations if self._bindings else ()), *self._own]

    def __reduce__(self) -> tuple:
        return (getattr, (present(), "aio")) if self._awaitable else (present, ())

    def __repr__(self) -> str:
        return f"{self._prefix[:-1]} – the facades, awaitable: await {self._prefix}<facade>.<method>(…)"


class Entrypoint(Facades):
    """What cells know as ``s``. One object lives as long as the process; its facades follow the configuration."""

    _own = ("aio", "info", "vars", "clear")

    def __init__(self) -> None:
        super().__init__(awaitable=False)
        self.__dict__["aio"] = _AsyncFacades(awaitable=True)
        self._namespace: dict[str, Any] = {}

    def _bind(self, bindings: Bindings) -> None:
        """Replace the bindings; what was stored of the old ones refuses to work from now on."""
        if self._bindings is not None:
            self._bindings.current = False
        self._bindings = self.aio._bindings = bindings

    def info(self, *items: Any) -> str:
        """Documentation: of everything in short, or in full of facades ("fs"), methods ("fs.read_file") and types.

        The objects themselves are understood too: ``s.info(s.fs.read_file)``.
        """
        if self._bindings is None:
            raise RuntimeError("the host has not told what there is; run another cell")
        return self._bindings.bridge.ask("info", {"items": [_item_name(item) for item in items]})["text"]

    def vars(self) -> str:
        """The names that cells have defined, with type and value in short."""
        import reprlib

        brief = reprlib.Repr()
        brief.maxstring = brief.maxother = _SHOWN
        names = self._user_names()
        return "\n".join(f"{name}: {type(self._namespace[name]).__name__} = {_brief(brief, self._namespace[name])}" for name in names) or "no variables"

    def clear(self, *names: str) -> str:
        """Remove the names given, or all that cells have defined."""
        known = self._user_names()
        for name in names:
            if name not in known:
                raise NameError(f"there is no variable {name!r}{did_you_mean(name, known) or '.'} s.vars() lists them")
        removed = list(dict.fromkeys(names)) or known
        for name in removed:
            del self._namespace[name]
        if not names:
            for name in [n for n in self._namespace if n.startswith("_") and not n.startswith("__")]:
                del self._namespace[name]  # `_` and private names would keep the values alive
        return f"removed: {', '.join(removed)}" if removed else "no variables"

    def _user_names(self) -> list[str]:
        return sorted(n for n in self._namespace if not n.startswith("_") and n not in _NOT_USERS)

    def __repr__(self) -> str:
        facades = self._bindings.declarations.values() if self._bindings else ()
        lines = [f"s.{f['name']} – {f.get('summary', '')}" for f in facades]
        lines.append("s.info() tells the methods, s.info(\"facade\") documents them; s.aio has the same facades to be awaited")
        lines.append("s.vars() lists what cells have defined, s.clear() removes it")
        return "\n".join(lines)


class _AsyncFacades(Facades):
    _prefix = "s.aio."


_present: Entrypoint | None = None


def present() -> Entrypoint:
    """The process's one entry point. A function that uses ``s`` is pickled with it, so pickles name this function."""
    global _present
    if _present is None:
        _present = Entrypoint()
    return _present


def _item_name(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Facade):
        return item._name
    if isinstance(item, Method):
        return item.__qualname__
    if isinstance(item, RecordMethod):
        item = item._record
    cls = item if isinstance(item, type) else type(item)
    if issubclass(cls, Record):
        return f"{cls._facade}.{cls._type}"
    return cls.__name__


def _brief(brief: Any, value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    text = " ".join(brief.repr(value).split())  # takes a failing __repr__ for an answer
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
