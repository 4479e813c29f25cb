"""The process groups that this process has started and must not leave behind."""

from __future__ import annotations

import os
import signal

# A group is named by its leader's pid. It is taken out before that pid can be another's.
live: set[int] = set()


def kill_all() -> None:
    """Kill every group. May be called from any thread, and just before ``os._exit``."""
    for pid in list(live):
        kill(pid)


def kill(pid: int) -> None:
    """Kill one group; it may be gone."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            import subprocess

            subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except Exception:
        pass
