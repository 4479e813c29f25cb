"""The private protocol stream: whole frames, one locked write sequence each, and the batch of tagged text before them."""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from collections import deque
from collections.abc import Callable
from os import close, write
from threading import Thread
from time import sleep

from rlm import _frames
from rlm._cells import Cell

_BATCH_CHARS = 8_192
_BATCH_SECONDS = 0.05


class Channel:
    """Owns the dup of the original fd 1.

    The lock is never held while user code may run, with one exception that cannot be ruled out: a finalizer or a signal
    handler entered in the owning thread. What such code sends is set aside and written by the owner before it lets go.
    Frames sent before ``open`` wait, so that ``ready`` is the first.
    """

    def __init__(self, fd: int, on_broken: Callable[[], None]) -> None:
        """``on_broken`` is called, under the lock, when the host has closed its end; it must not return."""
        self._fd = fd
        self._on_broken = on_broken
        self._lock = allocate_lock()
        self._owner = 0
        self._set_aside: deque[bytes] = deque()
        self._held: list[bytes] | None = []
        self._closed = False
        self._main = get_ident()
        # Appended by the main thread, emptied under the lock by any; a deque so that neither needs the other to wait.
        self._batch: deque[tuple[str, Cell, str]] = deque()
        self._batch_chars = 0
        self._armed = False
        self._wake = allocate_lock()
        self._wake.acquire()

    def start(self) -> None:
        """Start the thread that ships batches by age."""
        Thread(target=self._ship_by_age, name="rlm-batch", daemon=True).start()

    def open(self, ready: dict) -> None:
        """Send ``ready`` and then everything that was held back for it."""
        with self._lock:
            held, self._held = self._held, None
            self._write(_frames.to_wire([_frames.event_line(ready)]) + b"".join(held or ()))

    def send(self, *lines: str) -> None:
        """Ship the pending batch and then these lines, as one write sequence."""
        self._ship(_frames.to_wire(list(lines)))

    def send_frame(self, frame: bytes) -> None:
        """The same for one frame that is bytes already."""
        self._ship(frame)

    def text(self, kind: str, cell: Cell | None, text: str) -> None:
        """Ship or batch what code running in ``cell``'s context wrote to ``kind`` (``stdout`` or ``stderr``)."""
        if cell is None or not cell.live or get_ident() != self._main:
            self.send(*_frames.text_lines(kind, None if cell is None else cell.id, text))
            return
        self._batch.append((kind, cell, text))
        self._batch_chars += len(text)
        if self._batch_chars >= _BATCH_CHARS:
            self._ship(b"")
        elif not self._armed:
            self._armed = True
            try:
                self._wake.release()
            except RuntimeError:
                pass  # a finalizer that printed just here has done it

    @property
    def closed(self) -> bool:
        """True once frames are dropped: after shutdown, and in a forked child."""
        return self._closed

    def shut(self) -> None:
        """Drop every frame from now on."""
        self._closed = True

    def abandon(self) -> None:
        """Leave the stream to the parent; for a forked child, where the lock may be held by a thread that is gone."""
        self._lock = allocate_lock()
        self._owner = 0
        self._closed = True
        self._batch.clear()
        try:
            close(self._fd)
        except OSError:
            pass

    def _ship(self, data: bytes) -> None:
        me = get_ident()
        if self._owner == me:
            self._set_aside.append(data)
            return
        with self._lock:
            self._owner = me
            try:
                self._write(self._take_batch() + data)
                while self._set_aside:
                    self._write(self._take_batch() + self._set_aside.popleft())
            finally:
                self._owner = 0

    def _take_batch(self) -> bytes:
        batch = self._batch
        if not batch:
            return b""
        self._batch_chars = 0
        runs: list[tuple[str, str, list[str]]] = []
        while batch:
            kind, cell, text = batch.popleft()
            if runs and runs[-1][0] == kind and runs[-1][1] == cell.id:
                runs[-1][2].append(text)
            else:
                runs.append((kind, cell.id, [text]))
        return _frames.to_wire([line for kind, ident, texts in runs for line in _frames.text_lines(kind, ident, "".join(texts))])

    def _write(self, data: bytes) -> None:
        if self._closed or not data:
            return
        if self._held is not None:
            self._held.append(data)
            return
        rest = memoryview(data)
        failure: BaseException | None = None
        while rest:
            try:
                rest = rest[write(self._fd, rest) :]
            except OSError:
                self._on_broken()
            except BaseException as exc:
                failure = exc  # a signal handler of the user's raised: the frame must be whole first
        if failure is not None:
            raise failure

    def _ship_by_age(self) -> None:
        while True:
            self._wake.acquire()
            sleep(_BATCH_SECONDS)
            self._armed = False
            self._ship(b"")
