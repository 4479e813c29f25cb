"""Raw bytes of fd 1 and fd 2 as events without an owner, and the fence that says they have all been shipped."""

from __future__ import annotations

import codecs
import os
import select
from _thread import allocate_lock
from threading import Thread

from rlm import _frames
from rlm._channel import Channel

_CHUNK = 65_536
_SPLIT_MARK_MS = 20  # how long a tail that looks like the start of a mark is held back


class FdPump:
    """Turns one standard descriptor into a pipe and ships what arrives in it.

    Whatever is read is read and shipped under one lock, so that an empty pipe under that lock means nothing is under way.
    """

    def __init__(self, kind: str, fd: int, channel: Channel) -> None:
        self._kind = kind
        self._channel = channel
        self._read_end, self._write_end = os.pipe()  # the write end stays ours: a cell may close or replace ``fd``
        os.dup2(self._write_end, fd)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lock = allocate_lock()
        self._held = b""  # read, but perhaps the start of a mark
        self._mark = b"\x00\xfe" + os.urandom(16).hex().encode() + b"\xfe\x00"
        self._reached = allocate_lock()
        self._reached.acquire()
        # One to wait with, in the thread, and one to look with, under the lock: a poll object serves one thread at a time.
        self._wait, self._look = _poll(self._read_end), _poll(self._read_end)

    def start(self) -> None:
        """Start the thread that reads."""
        Thread(target=self._run, name=f"rlm-{self._kind}", daemon=True).start()

    def fence(self) -> None:
        """Return when every byte written before the call has been shipped. Only the main thread calls it."""
        if self._is_idle():
            return
        rest = memoryview(self._mark)  # shorter than PIPE_BUF: it goes in whole, between the writes of others
        while rest:
            rest = rest[os.write(self._write_end, rest) :]
        self._reached.acquire()

    def _is_idle(self) -> bool:
        with self._lock:
            return self._look is not None and not (self._held or self._decoder.getstate()[0] or self._look.poll(0))

    def _readable(self, milliseconds: int | None) -> bool:
        return self._wait is None or bool(self._wait.poll(milliseconds))

    def _run(self) -> None:
        while True:
            if self._held and not self._readable(_SPLIT_MARK_MS):
                with self._lock:
                    self._ship(self._held)
                    self._held = b""
            self._readable(None)
            with self._lock:
                self._held = self._take(self._held + os.read(self._read_end, _CHUNK))

    def _take(self, data: bytes) -> bytes:
        """Ship ``data`` up to a possible start of a mark, which is returned; the fence is told of each whole mark."""
        mark = self._mark
        while (at := data.find(mark)) >= 0:
            self._ship(data[:at])
            data = data[at + len(mark) :]
            if not data and not (self._look and self._look.poll(0)):
                # Nothing follows, so a cut character is the cell's own and not the middle of somebody's flood.
                self._ship(b"", final=True)
            self._reached.release()
        keep = _tail_that_starts(data, mark)
        self._ship(data[: len(data) - keep])
        return data[len(data) - keep :]

    def _ship(self, data: bytes, final: bool = False) -> None:
        text = self._decoder.decode(data, final)
        if text:
            self._channel.send_frame(_frames.raw_text_frame(self._kind, text))


def _poll(fd: int):
    if not hasattr(select, "poll"):
        return None
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return poll


def _tail_that_starts(data: bytes, mark: bytes) -> int:
    """The length of the longest end of ``data`` that is a proper start of ``mark``."""
    for size in range(min(len(data), len(mark) - 1), 0, -1):
        if data.endswith(mark[:size]):
            return size
    return 0
