"""A bare client of the runtime: writes request lines, reads event lines, and never waits without a deadline."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import unittest
from pathlib import Path

DEADLINE = 20.0  # seconds a frame or an exit may take
SOURCES = str(Path(__file__).resolve().parent.parent)
MARK = "from rlm.repl import emit as mark\n"  # then mark({'at': …}) says that the cell has come this far


class Client:
    """One runtime process. ``kill`` leaves nothing behind, whatever state it is in."""

    def __init__(self, *, env: dict | None = None, path: tuple[str, ...] = (), flags: tuple[str, ...] = ("-S",), ready: bool = True, **popen) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("RLM_", "PYTHON"))}
        environment["PYTHONPATH"] = os.pathsep.join([SOURCES, *path])
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment.update(env or {})
        self.process = subprocess.Popen(
            [sys.executable, *flags, "-m", "rlm.repl"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, env=environment, **popen,
        )  # fmt: skip
        self.lines: list[bytes] = []
        self._buffer = b""
        self._count = 0
        if ready:
            self.ready = self.frame()

    def write(self, data: bytes) -> None:
        """Write raw bytes, reading meanwhile so that neither side blocks the other for ever."""
        rest, end = memoryview(data), time.monotonic() + DEADLINE
        while rest:
            readable, writable, _ = select.select([self.process.stdout], [self.process.stdin], [], self._left(end))
            if writable:
                rest = rest[os.write(self.process.stdin.fileno(), rest[:4096]) :]
            if readable:
                self._fill()

    def send(self, *requests: dict) -> None:
        """Write requests in one go."""
        self.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))

    def new_id(self) -> str:
        """An id no other request has."""
        self._count += 1
        return f"r{self._count}"

    def start(self, code: str) -> str:
        """Send a cell and return its id."""
        ident = self.new_id()
        self.send({"type": "execute", "id": ident, "code": code})
        return ident

    def run(self, code: str) -> list[dict]:
        """Run a cell and return its frames with its ``done``."""
        return self.until_done(self.start(code))

    def request(self, kind: str, **fields: object) -> dict:
        """The ``done`` of a request that sends nothing else."""
        ident = self.new_id()
        self.send({"type": kind, "id": ident, **fields})
        frames = self.until_done(ident)
        assert len(frames) == 1, frames
        return frames[0]

    def value(self, code: str) -> str:
        """The result text of a cell that succeeds and sends nothing else."""
        frames = self.run(code)
        assert [f["event"] for f in frames] == ["result", "done"], frames
        return frames[0]["text"]

    def interrupt(self, ident: str | None = None) -> None:
        """Send an interrupt."""
        self.send({"type": "interrupt"} if ident is None else {"type": "interrupt", "id": ident})

    def frame(self, deadline: float = DEADLINE) -> dict:
        """The next event."""
        end = time.monotonic() + deadline
        while b"\n" not in self._buffer:
            if not select.select([self.process.stdout], [], [], self._left(end))[0]:
                continue
            if not self._fill():
                raise AssertionError(f"the stream ended; exit code {self.process.wait(DEADLINE)}, {self._buffer!r} left")
        line, _, self._buffer = self._buffer.partition(b"\n")
        self.lines.append(line)
        return json.loads(line)

    def until(self, **fields) -> list[dict]:
        """Events up to the first that has these fields."""
        frames = []
        while not frames or any(frames[-1].get(name) != value for name, value in fields.items()):
            frames.append(self.frame())
        return frames

    def until_done(self, ident: str) -> list[dict]:
        """Events up to the ``done`` of this id."""
        return self.until(event="done", id=ident)

    def until_mark(self) -> list[dict]:
        """Events up to the next display."""
        return self.until(event="display")

    def rest(self) -> list[dict]:
        """Close the input, read to the end of the stream, and return what came."""
        self.process.stdin.close()
        frames, end = [], time.monotonic() + DEADLINE
        while True:
            if b"\n" in self._buffer:
                frames.append(self.frame())
            elif select.select([self.process.stdout], [], [], self._left(end))[0] and not self._fill():
                assert self._buffer == b"", self._buffer
                return frames

    def exit_code(self) -> int:
        """The exit code, awaited."""
        return self.process.wait(DEADLINE)

    def kill(self) -> None:
        """End the process and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def _fill(self) -> bool:
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        self._buffer += chunk
        return bool(chunk)

    @staticmethod
    def _left(end: float) -> float:
        left = end - time.monotonic()
        if left <= 0:
            raise AssertionError("the deadline passed")
        return left


def texts(frames: list[dict], kind: str, ident: str | None) -> str:
    """The joined text of one stream of one owner."""
    return "".join(f["text"] for f in frames if f["event"] == kind and f["id"] == ident)


def events(frames: list[dict]) -> list[str]:
    """The events' names in order."""
    return [f["event"] for f in frames]


class RuntimeTest(unittest.TestCase):
    """Gives each test its own process, which is gone after it."""

    maxDiff = 2_000

    def start(self, **options) -> Client:
        """A new runtime."""
        client = Client(**options)
        self.addCleanup(client.kill)
        return client

    def assert_ok(self, frames: list[dict]) -> None:
        """The request sent nothing but its ``done``, with status ok."""
        self.assertEqual([(f["event"], f.get("status")) for f in frames], [("done", "ok")], frames)

    def assert_error(self, frames: list[dict], ename: str) -> dict:
        """The request ended with this error; returns the error's event."""
        self.assertEqual(events(frames[-2:]), ["error", "done"], frames)
        self.assertEqual(frames[-2]["ename"], ename, frames[-2])
        self.assertEqual(frames[-1]["status"], "error")
        self.assertEqual(frames[-2]["id"], frames[-1]["id"])
        text = "".join(frames[-2]["traceback"])
        self.assertTrue(text.startswith("Traceback (most recent call last):\n"), text)
        self.assertNotIn(os.path.join(SOURCES, "rlm"), text)
        self.assertNotIn("\x1b", text)
        return frames[-2]

    def assert_alive(self, client: Client) -> None:
        """The next cell answers normally."""
        ident = client.start("1+1")
        self.assertEqual(
            client.until_done(ident), [{"event": "result", "id": ident, "text": "2"}, {"event": "done", "id": ident, "status": "ok"}]
        )
