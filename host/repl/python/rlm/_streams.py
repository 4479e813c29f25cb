"""``sys.stdout`` and ``sys.stderr`` as cells see them, and the raw byte streams below them."""

from __future__ import annotations

import io
import os
import sys

from rlm._cells import current
from rlm._channel import Channel
from rlm._interrupt import Interrupts


class RawBuffer(io.BufferedIOBase):
    """``sys.stdout.buffer``: bytes go to the descriptor at once, so they keep their order with those of child processes."""

    def __init__(self, fd: int, name: str) -> None:
        self._fd = fd
        self.name = name
        self.mode = "wb"

    def write(self, data) -> int:
        """Write all bytes of ``data`` and return their number."""
        with memoryview(data) as view, view.cast("B") as rest:
            size, at = len(rest), 0
            while at < size:
                at += os.write(self._fd, rest[at:])
            return size

    def fileno(self) -> int:
        """The descriptor, 1 or 2."""
        return self._fd

    def writable(self) -> bool:
        """Always true."""
        return True

    def close(self) -> None:
        """Do nothing: the descriptor belongs to the process."""


def standard(kind: str) -> TaggedStream:
    """This process's ``stdout`` or ``stderr``. Pickles name this function."""
    return getattr(sys, f"__{kind}__")


class TaggedStream(io.TextIOBase):
    """A text stream whose writes become protocol events under the writing context's cell.

    ``flush`` does nothing, since a batch leaves within 50 ms, and ``close`` does nothing, since the next cell needs the
    stream again.
    """

    encoding = "utf-8"
    errors = "replace"
    newlines = None
    line_buffering = False
    write_through = True
    mode = "w"

    def __init__(self, kind: str, fd: int, channel: Channel, interrupts: Interrupts) -> None:
        self._kind = kind
        self._fd = fd
        self._channel = channel
        self._interrupts = interrupts
        self.name = f"<{kind}>"
        self.buffer = RawBuffer(fd, self.name)

    def write(self, text: str) -> int:
        """Ship or batch ``text`` and return its length in characters."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        channel = self._channel
        if channel.closed:
            self._write_raw(text)
        elif text:
            channel.text(self._kind, current.get(), text)
        if self._interrupts.postponed:
            self._interrupts.raise_postponed()
        return len(text)

    def __reduce__(self) -> tuple:
        # A revived stream is the one of its own process.
        return standard, (self._kind,)

    def _write_raw(self, text: str) -> None:
        # A forked child has no channel of its own: its text joins the raw bytes of the descriptor.
        try:
            self.buffer.write(text.encode("utf-8", "replace"))
        except OSError:
            pass

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def reconfigure(self, **_options) -> None:
        """Accept what ``io.TextIOWrapper`` accepts; the stream is UTF-8 in any case."""

    def fileno(self) -> int:
        """The descriptor that child processes inherit, 1 or 2."""
        return self._fd

    def isatty(self) -> bool:
        """Always false."""
        return False

    def writable(self) -> bool:
        """Always true."""
        return True
