"""The file of a snapshot: the pickles one after the other, then an index of them.

Reading it runs nothing of what it holds, and a file that is cut, mixed up or of another kind is told apart before any
pickle is looked at.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import zlib
from importlib.util import MAGIC_NUMBER

_MAGIC = b"rlm snapshot 1\n"
_TAIL = 12  # bytes: the index's length (8) and the checksum of all before it (4), big-endian


class Corrupt(Exception):
    """The file is no whole snapshot. The text says in what way."""


class Payload:
    """The pickles by name, the sources of cells that code in them comes from, and the Python that wrote it."""

    def __init__(self, pickles: dict[str, bytes], sources: dict[int, str], python: str, bytecode: str) -> None:
        self.pickles = pickles
        self.sources = sources
        self.python = python
        self.bytecode = bytecode

    @classmethod
    def here(cls, pickles: dict[str, bytes], sources: dict[int, str]) -> Payload:
        """What this interpreter has to save."""
        return cls(pickles, sources, sys.version.split()[0], MAGIC_NUMBER.hex())

    def runs_here(self) -> bool:
        """True when code objects in the pickles are of this interpreter's kind."""
        return self.bytecode == MAGIC_NUMBER.hex()

    def write(self, path: str) -> None:
        """Write the file, which must not exist. Raises OSError."""
        index = {
            "python": self.python,
            "bytecode": self.bytecode,
            "pickles": [[name, len(data)] for name, data in self.pickles.items()],
            "sources": {str(number): text for number, text in self.sources.items()},
        }
        tail = json.dumps(index).encode()
        check = 0
        with open(path, "xb", opener=_private) as file:
            for part in (_MAGIC, *self.pickles.values(), tail):
                file.write(part)
                check = zlib.crc32(part, check)
            file.write(len(tail).to_bytes(8, "big") + check.to_bytes(4, "big"))


def read(path: str) -> Payload:
    """Read a file that ``write`` made. Raises Corrupt, and OSError when it cannot be read or is no regular file."""
    require_regular(os.stat(path).st_mode, path)  # before it is opened, which some devices take for more than a look
    with open(path, "rb", opener=_without_waiting) as file:
        require_regular(os.fstat(file.fileno()).st_mode, path)
        data = file.read()
    if not data.startswith(_MAGIC):
        raise Corrupt("the file is empty" if not data else "the file is no snapshot of this runtime")
    body = memoryview(data)[:-_TAIL]
    size = int.from_bytes(data[-_TAIL:-4], "big")
    if len(data) < len(_MAGIC) + _TAIL + size or zlib.crc32(body) != int.from_bytes(data[-4:], "big"):
        raise Corrupt("the snapshot is damaged: its checksum does not match, so it was cut or changed")
    try:
        index = json.loads(bytes(body[len(body) - size :]))
        pickles, at = {}, len(_MAGIC)
        for name, length in index["pickles"]:
            pickles[name] = bytes(body[at : at + length])
            at += length
        sources = {int(number): text for number, text in index["sources"].items()}
        return Payload(pickles, sources, index["python"], index["bytecode"])
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise Corrupt(f"the snapshot's index is not readable: {exc}") from None


def write_private(path: str, text: str) -> None:
    """Write a text file that must not exist and that only this user can read. Raises OSError."""
    with open(path, "x", encoding="utf-8", opener=_private) as file:
        file.write(text)


def require_regular(mode: int, path: str) -> None:
    """Raise OSError unless ``mode``, of ``path``, is that of a regular file."""
    if stat.S_ISREG(mode):
        return
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    kind = next((name for is_kind, name in kinds if is_kind(mode)), "a device")
    raise OSError(f"{path!r} is {kind}, not a regular file; name another path")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
