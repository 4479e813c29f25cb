"""Death with the parent: a pipe whose end of file means that the parent is gone, however it went.

On Linux the kernel itself then kills the process group, so that neither a cell that holds the interpreter in C code nor
the children of a cell survive. Elsewhere, or when the group is not this process's own, a thread ends this process.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from threading import Thread

from rlm import _groups


_armed: int | None = None


def arm(fd: int) -> None:
    """Watch the read end ``fd``, which stays open for the life of the process. Raises OSError when it is no open descriptor."""
    global _armed
    os.set_inheritable(fd, False)
    _armed = fd
    if not (sys.platform == "linux" and os.getpgrp() == os.getpid() and _arm_kernel(fd, os.getpid())):
        Thread(target=_watch, args=(fd,), name="rlm-lifeline", daemon=True).start()


class Guard:
    """Ties one group more to the parent, as long as it lasts: its members inherit an opening of the pipe of their own.

    Entered before the group's leader is started. Where the kernel cannot do it, the thread that ends this process does.
    """

    def __init__(self) -> None:
        self._fd: int | None = None

    def __enter__(self) -> Guard:
        if _armed is not None and sys.platform == "linux":
            try:
                # A new opening and not a duplicate, since whom to signal is kept with the opening. It must not wait for a writer.
                self._fd = os.open(f"/proc/self/fd/{_armed}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                pass
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._fd is not None:
            os.close(self._fd)

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """What the leader is to inherit."""
        return () if self._fd is None else (self._fd,)

    def arm(self, pgid: int) -> None:
        """Have the group killed at the end of file; the leader has been started."""
        if self._fd is not None:
            _arm_kernel(self._fd, pgid)


def _arm_kernel(fd: int, pgid: int) -> bool:
    import fcntl

    try:
        fcntl.fcntl(fd, fcntl.F_SETOWN, -pgid)
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        return False
    # The signal tells of a change only; the parent may have gone before it was asked for.
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if poll.poll(0):
        os.killpg(pgid, signal.SIGKILL)
    return True


def _watch(fd: int) -> None:
    try:
        while os.read(fd, 1):
            pass
    except OSError:
        pass
    _groups.kill_all()
    os._exit(1)
