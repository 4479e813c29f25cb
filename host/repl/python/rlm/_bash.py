"""``rlm.bash``: shell commands that run beside the cells, each a process group of its own."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable, Generator
from shutil import which
from threading import Lock, Thread
from time import monotonic
from typing import NamedTuple

from rlm import _groups, _lifeline
from rlm._bridge import wake
from rlm._settle import Started

_CHUNK = 65_536
_MAX_HALF = 8 << 20  # bytes of a command's output kept from its start, and again from its end
_REST_SECONDS = 0.05  # between two looks at whether all that a command wrote has been read
_handles: set[Handle] = set()  # those whose command has not ended


class BashResult(NamedTuple):
    """How a command ended. ``exit_code`` is negative for a signal's number, ``duration`` in seconds."""

    exit_code: int
    output: str
    duration: float


class Handle(Started):
    """A command that has been started. Awaiting it gives its BashResult; leaving it alone lets it run on."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._lock = Lock()  # guards the fields below
        self._output = _Output()
        self._result: BashResult | None = None
        self._was_killed = False  # the whole group, so that nobody is left in it
        self._waiting: list[Callable[[], None]] = []
        self._began = monotonic()
        with _lifeline.Guard() as guard:
            self._process = _spawn(command, guard.pass_fds)
            _groups.live.add(self._process.pid)
            guard.arm(self._process.pid)
        self.pid: int = self._process.pid
        _handles.add(self)
        self._reader = Thread(target=self._read, name=f"rlm-bash-{self.pid}", daemon=True)
        self._waiter = Thread(target=self._wait, name=f"rlm-bash-{self.pid}-end", daemon=True)
        self._reader.start()
        self._waiter.start()

    @property
    def running(self) -> bool:
        """True until the shell has ended; what it left in the background does not count."""
        return self._result is None

    def output(self) -> str:
        """What the command has written so far, both streams in one."""
        with self._lock:
            return self._output.text()

    def kill(self) -> None:
        """End the command and whatever it has started, at once."""
        with self._lock:
            if self.pid in _groups.live:
                _groups.kill(self.pid)
                self._was_killed = True

    def __await__(self) -> Generator:
        return self._ended().__await__()

    def __repr__(self) -> str:
        state = "running" if self._result is None else f"exit code {self._result.exit_code}"
        return f"<bash {self.pid}, {state}: {self.command!r:.200}>"

    def __reduce__(self) -> str:
        raise TypeError("a bash handle belongs to the process that started it")

    async def _ended(self) -> BashResult:
        from asyncio import get_running_loop

        loop = get_running_loop()
        future = loop.create_future()
        with self._lock:
            if self._result is not None:
                return self._result
            self._waiting.append(lambda: wake(loop, future, {}))
        await future
        return self._result

    def _read(self) -> None:
        pipe = self._process.stdout
        fd, poll, data = pipe.fileno(), _poll(pipe.fileno()), None
        while data != b"":
            if poll is not None:
                poll.poll()
                with self._lock:  # so that an empty pipe under the lock means that nothing is under way
                    data = os.read(fd, _CHUNK)
                    self._output.add(data)
            else:
                data = os.read(fd, _CHUNK)
                with self._lock:
                    self._output.add(data)
        with self._lock:
            pipe.close()

    def _wait(self) -> None:
        pid, process = self.pid, self._process
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # not reaped yet: the pid stays the group's name
            with self._lock:
                exit_code = process.wait()
                if self._was_killed or not _has_members(pid):
                    _groups.live.discard(pid)
        else:
            exit_code = process.wait()
            with self._lock:
                if self._was_killed or not _has_members(pid):
                    _groups.live.discard(pid)
        duration = monotonic() - self._began
        self._await_rest()
        with self._lock:
            self._result = BashResult(exit_code, self._output.text(), duration)
            waiting, self._waiting = self._waiting, []
        _handles.discard(self)
        for tell in waiting:
            tell()

    def _await_rest(self) -> None:
        """Wait for what the shell has written; something in the background may hold the pipe open for ever."""
        pipe = self._process.stdout
        while self._reader.is_alive():
            with self._lock:
                if not pipe.closed and hasattr(select, "poll") and not _poll(pipe.fileno()).poll(0):
                    return
            self._reader.join(_REST_SECONDS)
            if not hasattr(select, "poll"):
                return


class _Output:
    """Bytes, of which the middle is dropped when they are too many."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Append ``data``."""
        room = _MAX_HALF - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room < len(data) else b""
        if len(self._tail) > 2 * _MAX_HALF:  # cut seldom, since each cut copies
            self._cut()

    def text(self) -> str:
        """All that is kept, decoded."""
        self._cut()
        if self._dropped:
            mark = f"\n... {self._dropped} bytes left out ...\n".encode()
            return (self._head + mark + self._tail).decode("utf-8", "replace")
        return (self._head + self._tail).decode("utf-8", "replace")

    def _cut(self) -> None:
        surplus = len(self._tail) - _MAX_HALF
        if surplus > 0:
            del self._tail[:surplus]
            self._dropped += surplus


def start(command: str) -> Handle:
    """Start ``command`` in a shell and return its handle at once."""
    if not isinstance(command, str):
        raise TypeError(f"bash() takes the command as a string, not {type(command).__name__}")
    return Handle(command)


def end_all(seconds: float) -> None:
    """Kill every group and wait so long at most for the commands to be gone."""
    _groups.kill_all()
    end = monotonic() + seconds
    for handle in list(_handles):
        handle._waiter.join(max(0.0, end - monotonic()))


def _spawn(command: str, pass_fds: tuple[int, ...]) -> subprocess.Popen:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "bufsize": 0}
    if os.name == "nt":
        shell = which("bash")
        group = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen([shell, "-c", command] if shell else command, shell=not shell, creationflags=group, **streams)
    shell = which("bash") or "/bin/sh"
    return subprocess.Popen([shell, "-c", command], start_new_session=True, pass_fds=pass_fds, **streams)


def _poll(fd: int):
    if not hasattr(select, "poll"):
        return None
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return poll


def _has_members(pid: int) -> bool:
    """True when the group of a leader that is gone still has somebody in it."""
    try:
        os.killpg(pid, 0)
    except PermissionError:
        return True
    except (OSError, AttributeError):
        return False
    return True
