"""One value as bytes and back, by dill, whose ways with functions and modules are bent to a namespace that lives on.

dill gives each unpickled function a dict of globals of its own. Here a function of a cell gets the namespace itself, so
that it sees what is bound there now and later. Its pickle therefore leaves out the globals that are saved as names of
their own, and carries those that are not (names with an underscore, ``asyncio``), for a namespace that lacks them.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import sys
import warnings
from _thread import get_ident
from collections.abc import Callable, Iterator
from enum import EnumMeta
from importlib import import_module
from types import CodeType, FunctionType, ModuleType

from rlm import _enums, _locks, _names, _types
from rlm._interrupt import call_user

# What a name of the file system stands behind. dill would open it again in its mode: "w" would empty it.
_FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair, io.TextIOWrapper)
_GLOBAL_OPS = frozenset({"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})


class TooBig(Exception):
    """The pickle is longer than the limit."""


class _NotPlain(Exception):
    """The value holds something that is no builtin data."""


def load_dill() -> ModuleType:
    """dill: the user's own, or else the one in the wheel beside this package. Raises ImportError.

    The folder of cells does not count while it is imported: dill needs much of the standard library.
    """
    if "dill" in sys.modules:
        return import_module("dill")
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if not _is_working_folder(entry)]
    try:
        return _found_dill()
    finally:
        sys.path[:] = path + [entry for entry in sys.path if entry not in path]


def _found_dill() -> ModuleType:
    try:
        return import_module("dill")
    except Exception as exc:
        problem = exc
    wheel = _wheel()
    if wheel is not None:
        if wheel not in sys.path:
            sys.path.append(wheel)
        try:
            return import_module("dill")
        except Exception as exc:
            problem = exc
    raise ImportError(f"dill cannot be imported: {type(problem).__name__}: {problem}; install dill for {sys.executable}")


class Pickling:
    """Pickles values of ``namespace``, the dict of ``__main__``. Made for one request."""

    def __init__(self, namespace: dict) -> None:
        self._namespace = namespace
        self._dill = load_dill()
        self._dispatch = _Dispatch(self._dill.Pickler.dispatch, namespace)
        self._private: list[dict] = []  # the globals that unpickled functions of cells came with

    def dumps(self, value: object, limit: int | None) -> tuple[bytes, bool]:
        """The pickle, and whether it may hold code. Raises TooBig beyond ``limit`` bytes, and what pickling raises."""
        sink = _Sink(limit)
        try:
            call_user(_Plain(sink).dump, value)
            return sink.data(), False
        except _NotPlain:
            sink = _Sink(limit)
        pickler = self._dill.Pickler(sink, recurse=True, byref=False)
        pickler.dispatch = self._dispatch
        with _ReferencedGlobals(self._dill.detect, self._namespace), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # dill warns where it puts down a bare name of __main__, for a class that holds an instance of its own: not to be revived.
            warnings.simplefilter("error", self._dill.PicklingWarning)
            try:
                call_user(pickler.dump, value)
            except self._dill.PicklingWarning as exc:
                raise pickle.PicklingError(_circle(exc)) from None
        return sink.data(), True

    def loads(self, data: bytes) -> object:
        """The value. Raises what unpickling raises."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call_user(_unpickler(self._dill, data, self._create_function).load)

    def lacking(self) -> Iterator[tuple[str, object]]:
        """Names and values that the functions of the last ``loads`` came with and the namespace has not."""
        private, self._private = self._private, []
        for globals_ in private:
            for name, value in globals_.items():
                if name not in self._namespace and not name.startswith("__") and _names.is_restorable(name):
                    yield name, value

    def _create_function(self, code: CodeType, globals_: dict | None, *rest: object) -> object:
        create = self._dill._dill._create_function
        if not (isinstance(globals_, dict) and (code.co_filename.startswith("<cell-") or globals_.get("__name__") == "__main__")):
            return create(code, globals_, *rest)
        self._private.append(globals_)
        function = create(code, self._namespace, *rest)
        function.__module__ = globals_.get("__name__")  # where a decorator says that it is from
        return function


class _Dispatch:
    """dill's table of how types are saved, with ways of our own for modules and plain dicts.

    dill saves a module of the user's with all it holds; here every module that can be imported is its name. And dill
    compares each dict with the namespace by ``==``, which calls the values' own code.
    """

    def __init__(self, base: dict, namespace: dict) -> None:
        self._base = base
        save_dict, save_module, main = base[dict], base[ModuleType], sys.modules["__main__"]

        def dict_(pickler, obj):
            (save_dict if obj is namespace or "__name__" in obj else pickle._Pickler.save_dict)(pickler, obj)

        def module(pickler, obj):
            name = getattr(obj, "__name__", None)
            if obj is not main and not _is_findable(name):
                raise TypeError(f"the module {name!r} is no file that can be imported: it cannot be revived")
            if sys.modules.get(name) is obj:
                pickler.save_reduce(import_module, (name,), obj=obj)
            else:
                save_module(pickler, obj)

        def file(_pickler, obj):
            raise TypeError(f"a file ({getattr(obj, 'name', '?')}) is not kept: opening it again could empty it; open it anew where it is needed")

        self._own = {dict: dict_, ModuleType: module, **_locks.SAVERS, **_types.savers(_is_found)}
        self._save_file = file
        self._save_enum = _enums.saver(_is_importable)

    def get(self, kind: type, default: object = None) -> object:
        """The function that saves values of ``kind``."""
        if issubclass(kind, EnumMeta):
            return self._save_enum
        if issubclass(kind, _FILES):
            return self._save_file
        return self._own.get(kind) or self._base.get(kind, default)


class _ReferencedGlobals:
    """While entered, dill is told by us which globals a function needs.

    dill's own way prints the code into a replaced ``sys.stdout``, which other threads print to at the same time.
    """

    def __init__(self, detect: ModuleType, namespace: dict) -> None:
        self._detect = detect
        self._namespace = namespace
        self._thread = get_ident()

    def __enter__(self) -> None:
        self._original = self._detect.globalvars
        self._detect.globalvars = self._globalvars

    def __exit__(self, *_exc: object) -> None:
        self._detect.globalvars = self._original

    def _globalvars(self, function: object, recurse: bool = True, builtin: bool = False) -> dict:
        if get_ident() != self._thread or not isinstance(function, FunctionType):
            return self._original(function, recurse, builtin)
        globals_ = function.__globals__
        found = {name: globals_[name] for name in _global_names(function.__code__) if name in globals_}
        if globals_ is self._namespace:
            found = {name: found[name] for name in found if not _names.is_user_name(name) and _names.is_restorable(name)}
        return found


class _Plain(pickle.Pickler):
    """The fast pickler, for values that are builtin data through and through."""

    def reducer_override(self, obj: object) -> object:
        raise _NotPlain


class _Sink:
    """Takes a pickle up to a limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, part: bytes) -> None:
        """Take one part; it may be a view of a buffer that is used again."""
        self._size += len(part)
        if self._limit is not None and self._size > self._limit:
            raise TooBig
        self._parts.append(bytes(part))

    def data(self) -> bytes:
        """All that was written."""
        return b"".join(self._parts)


def _unpickler(dill: ModuleType, data: bytes, create_function: Callable):
    class Unpickler(dill.Unpickler):
        def find_class(self, module: str, name: str) -> object:
            if name == "_create_function" and module in ("dill._dill", "dill.dill"):
                return create_function
            if name == "_create_filehandle":  # of another writer's payload
                raise pickle.UnpicklingError("a file is not opened again")
            return super().find_class(module, name)

    return Unpickler(io.BytesIO(data), ignore=True)


def _circle(warning: Warning) -> str:
    """What dill's warning about a class that it is still saving means."""
    named = re.search(r"<(?:class|enum) '(?:__main__\.)?([^']+)'", str(warning))
    return f"the class {named[1]} leads back to itself: it, or a base of it, holds an instance of it or the class" if named else " ".join(str(warning).split())


def _is_importable(kind: type) -> bool:
    found: object = sys.modules.get(kind.__module__) if kind.__module__ != "__main__" else None
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def _is_found(obj: object, name: str) -> bool:
    """True when importing gives ``obj`` again under ``name`` of its module."""
    return obj.__module__ != "__main__" and getattr(sys.modules.get(obj.__module__), name, None) is obj


def _is_findable(name: str) -> bool:
    """True when a process that has not imported the module finds it, or else a package above it, which may make it."""
    parent, _, _ = name.rpartition(".")
    path = getattr(sys.modules.get(parent), "__path__", None) if parent else None
    for finder in sys.meta_path:
        try:
            if finder.find_spec(name, path) is not None:
                return True
        except Exception:
            continue  # one that cannot say
    return bool(parent) and _is_findable(parent)


def _global_names(code: CodeType) -> set[str]:
    """The names that ``code`` and the code inside it look up in their globals."""
    from dis import get_instructions

    names, todo = set(), [code]
    while todo:
        code = todo.pop()
        names.update(step.argval for step in get_instructions(code) if step.opname in _GLOBAL_OPS)
        todo += [const for const in code.co_consts if isinstance(const, CodeType)]
    return names


def _is_working_folder(entry: str) -> bool:
    try:
        return entry == "" or os.path.samefile(entry, ".")
    except OSError:
        return False


def _wheel() -> str | None:
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vendor")
    try:
        found = sorted(name for name in os.listdir(folder) if name.startswith("dill-") and name.endswith(".whl"))
    except OSError:
        return None
    return os.path.join(folder, found[-1]) if found else None
