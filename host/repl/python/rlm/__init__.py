"""A CPython REPL runtime that speaks newline-delimited JSON; started as ``python -m rlm.repl``.

Cells import their side of it from :mod:`rlm.repl`; every module with a leading underscore belongs to the runtime alone.
Nothing here imports a sibling at once, so that ``-m rlm.repl`` starts without a second copy of the public module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rlm._bash import Handle


def bash(command: str) -> Handle:
    """Start ``command`` in a shell and return its handle at once.

    ``await`` on the handle gives ``exit_code``, ``output`` (both streams) and ``duration`` (seconds). Meanwhile it has ``pid``,
    ``running``, ``output()`` and ``kill()``. An interrupt ends the wait, not the command; the session's end kills it.

    Raises TypeError for a command that is no string, RuntimeError outside a session, OSError when the shell cannot be started.
    """
    from rlm import _bash, _runtime

    _runtime.require("bash()")
    return _bash.start(command)
