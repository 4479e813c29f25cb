"""Saving the namespace in a file and reviving it, each in two steps: all the work first, then what cannot be called off.

The second step runs when no interrupt can come any more, so an interrupted request leaves files and names as they were.
"""

from __future__ import annotations

import json
import linecache
import os
import re
import sys
import time
from collections.abc import Callable

from rlm import _names, _payload
from rlm._payload import Corrupt, Payload
from rlm._pickling import Pickling, TooBig
from rlm._requests import Refused

VERSION = 1  # of the manifest
_MAX_REASON = 500  # characters
_ABSENT = object()
_CELL = re.compile(rb"<cell-(\d{1,9})>")


class PendingSnapshot:
    """Two finished files beside their places. Either ``commit`` or ``discard`` is called, once."""

    def __init__(self, namespace: dict, files: list[tuple[str, str]], oversized: dict[str, object], extra: dict) -> None:
        self._namespace = namespace
        self._files = files
        self._oversized = oversized
        self._extra = extra

    def commit(self) -> dict:
        """Put the files in place, prune the namespace, and return what ``done`` says. Raises Refused."""
        try:
            for temporary, path in self._files:
                os.replace(temporary, path)
        except OSError as exc:
            raise Refused(f"the snapshot cannot be put in place: {exc}") from None
        finally:
            self.discard()
        for name, value in self._oversized.items():
            if self._namespace.get(name) is value:
                del self._namespace[name]
        return self._extra

    def discard(self) -> None:
        """Remove what is not in place."""
        for temporary, _ in self._files:
            try:
                os.unlink(temporary)
            except OSError:
                pass


class PendingRestore:
    """Values bound on approval. Either ``commit`` or ``discard`` is called, once.

    They are bound as they come, since the code of one may need another while it is unpickled.
    """

    def __init__(self, namespace: dict) -> None:
        self._namespace = namespace
        self._before: dict[str, object] = {}
        self._finish: Callable[[], None] = lambda: None
        self.extra: dict = {"restored": [], "failed": []}

    def bind(self, name: str, value: object) -> None:
        """Bind one value for the time being."""
        self._before.setdefault(name, self._namespace.get(name, _ABSENT))
        self._namespace[name] = value

    def on_commit(self, finish: Callable[[], None]) -> None:
        """Have ``finish`` called with the commit."""
        self._finish = finish

    def commit(self) -> dict:
        """Keep the values and return what ``done`` says."""
        self._finish()
        return self.extra

    def discard(self) -> None:
        """Put the namespace back as it was."""
        for name, value in self._before.items():
            if value is _ABSENT:
                self._namespace.pop(name, None)
            else:
                self._namespace[name] = value


def prepare_snapshot(namespace: dict, fields: dict, check: Callable[[], None]) -> PendingSnapshot:
    """Pickle the user's names and write both files beside their places.

    ``check`` raises KeyboardInterrupt when the request was interrupted. Raises Refused.
    """
    path, manifest_path = _paths(fields)
    most, most_of_one = _cap(fields, "max_bytes"), _cap(fields, "max_variable_bytes")
    prune = fields.get("prune_oversized", False)
    if not isinstance(prune, bool):
        raise Refused(f'"prune_oversized" is true or false, not {prune!r:.80}')
    pickling = _pickling(namespace)
    pickles: dict[str, bytes] = {}
    cells: set[int] = set()
    skipped: list[dict] = []
    oversized: dict[str, object] = {}
    total = 0
    for name in _names.user_names(namespace):
        check()
        try:
            value = namespace[name]
            data, has_code = pickling.dumps(value, most_of_one if most_of_one is not None else _left(most, total))
        except TooBig:
            if most_of_one is None:
                skipped.append(_entry(name, _full(most)))
            else:
                skipped.append(_entry(name, f"its pickle exceeds max_variable_bytes ({most_of_one})"))
                oversized[name] = value
            continue
        except KeyboardInterrupt:
            raise
        except BaseException as exc:
            skipped.append(_entry(name, _reason(exc)))
            continue
        if most is not None and total + len(data) > most:
            skipped.append(_entry(name, _full(most)))
            continue
        total += len(data)
        pickles[name] = data
        if has_code:
            cells.update(map(int, _CELL.findall(data)))
    sources = {n: "".join(linecache.getlines(f"<cell-{n}>")) for n in sorted(cells)}
    if not prune:
        oversized = {}
    extra = {"saved": list(pickles), "skipped": skipped, "pruned": list(oversized), "bytes": total}
    check()
    files = _write(path, manifest_path, Payload.here(pickles, sources), extra)
    return PendingSnapshot(namespace, files, oversized, extra)


def prepare_restore(namespace: dict, fields: dict, check: Callable[[], None], adopt_sources: Callable) -> PendingRestore:
    """Unpickle each name of the file by itself. ``check`` as above. Raises Refused."""
    try:
        payload = _payload.read(fields["path"])
    except FileNotFoundError:
        missing = PendingRestore(namespace)
        missing.extra["reason"] = "snapshot not found"
        return missing
    except (OSError, ValueError) as exc:
        raise Refused(f"the snapshot cannot be read: {exc}") from None
    except Corrupt as exc:
        raise Refused(str(exc)) from None
    pickling = _pickling(namespace)
    pending = PendingRestore(namespace)
    pending.on_commit(lambda: adopt_sources(payload.sources))
    try:
        pending.extra = _revive(payload, pickling, pending, check)
    except BaseException:
        pending.discard()
        raise
    return pending


def _revive(payload: Payload, pickling: Pickling, pending: PendingRestore, check: Callable[[], None]) -> dict:
    revived: set[str] = set()
    failed: dict[str, str] = {}
    todo = [name for name in payload.pickles if _names.is_restorable(name)]
    while todo:
        again = []
        for name in todo:
            check()
            data = payload.pickles[name]
            if not payload.runs_here() and b"_create_code" in data:
                failed[name] = f"it holds code of Python {payload.python}, which {sys.version.split()[0]} cannot run"
                continue
            try:
                value = pickling.loads(data)
            except KeyboardInterrupt:
                raise
            except BaseException as exc:
                failed[name] = _reason(exc)
                if isinstance(exc, (NameError, AttributeError)):
                    again.append(name)  # its code may use a name that comes later
                continue
            pending.bind(name, value)
            revived.add(name)
            failed.pop(name, None)
            for lacking, needed in pickling.lacking():
                pending.bind(lacking, needed)
        todo = again if len(again) < len(todo) else []
    return {"restored": sorted(revived), "failed": [_entry(name, failed[name]) for name in sorted(failed)]}


def _pickling(namespace: dict) -> Pickling:
    try:
        return Pickling(namespace)
    except ImportError as exc:
        raise Refused(str(exc)) from None


def _paths(fields: dict) -> tuple[str, str]:
    path, manifest_path = fields["path"], fields["manifest_path"]
    try:
        if os.path.realpath(path) == os.path.realpath(manifest_path) or _is_same_file(path, manifest_path):
            raise Refused('"path" and "manifest_path" are the same file; name two')
        for name in (path, manifest_path):
            if not name or os.path.isdir(name):
                raise Refused(f"{name!r} is not the name of a file")
            _require_replaceable(name)
    except ValueError as exc:
        raise Refused(f"a path is not usable: {exc}") from None
    return path, manifest_path


def _require_replaceable(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # nothing is there, or writing beside it will say why not
    try:
        _payload.require_regular(mode, path)
    except OSError as exc:
        raise Refused(f"the snapshot cannot be written: {exc}") from None


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _cap(fields: dict, name: str) -> int | None:
    if name not in fields:
        return None
    value = fields[name]
    if type(value) is not int or value < 0:
        raise Refused(f'"{name}" is a whole number of bytes, 0 or more, not {value!r:.80}')
    return value


def _left(most: int | None, total: int) -> int | None:
    return None if most is None else most - total


def _full(most: int | None) -> str:
    return f"it would push the total over max_bytes ({most})"


def _write(path: str, manifest_path: str, payload: Payload, extra: dict) -> list[tuple[str, str]]:
    manifest = {
        "version": VERSION,
        "savedNames": extra["saved"],
        "skipped": extra["skipped"],
        "pruned": extra["pruned"],
        "bytes": extra["bytes"],
        "pythonVersion": payload.python,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    files = [(_beside(name), name) for name in (path, manifest_path)]
    try:
        payload.write(files[0][0])
        _payload.write_private(files[1][0], json.dumps(manifest, indent=2) + "\n")
    except BaseException as exc:
        PendingSnapshot({}, files, {}, {}).discard()
        if isinstance(exc, (OSError, ValueError)):
            raise Refused(f"the snapshot cannot be written: {exc}") from None
        raise
    return files


def _beside(path: str) -> str:
    """A new name in the folder of ``path``: short, as that one may be as long as names can be, and nobody else's, ever."""
    return os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}.tmp")


def _entry(name: str, reason: str) -> dict:
    return {"name": name, "reason": reason}


def _reason(exc: BaseException) -> str:
    try:
        text = str(exc)
    except Exception:
        text = ""
    return " ".join(f"{type(exc).__name__}: {text}".split())[:_MAX_REASON].rstrip(" :")
