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


def arm(fd: int) -> None:
    """Watch the read end ``fd``, which stays open for the life of the process. Raises OSError when it is no open descriptor."""
    os.set_inheritable(fd, False)
    if not (sys.platform == "linux" and os.getpgrp() == os.getpid() and _arm_kernel(fd)):
        Thread(target=_watch, args=(fd,), name="rlm-lifeline", daemon=True).start()


def _arm_kernel(fd: int) -> bool:
    import fcntl

    try:
        fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        return False
    # The signal tells of a change only; the parent may have gone before it was asked for.
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if poll.poll(0):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    return True


def _watch(fd: int) -> None:
    try:
        while os.read(fd, 1):
            pass
    except OSError:
        pass
    os._exit(1)
