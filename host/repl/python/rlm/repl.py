"""The public module: ``python -m rlm.repl`` serves the protocol, and cells import the functions below from here.

They work from a cell, from a task, and from a thread, unless they say otherwise.
"""

from __future__ import annotations

import sys


def emit(data: dict) -> None:
    """Show ``data``, a non-empty dict from MIME types to JSON payloads, as one ``display`` event of the calling cell.

    Raises TypeError for anything but a dict with string keys and for payloads that JSON cannot carry, ValueError for an
    empty dict and for NaN, infinities and cycles. Nothing is sent then.
    """
    from rlm import _cells, _frames, _runtime

    channel = _runtime.require("emit()").channel
    if isinstance(data, dict):
        if not data:
            raise ValueError("emit() takes a dict with at least one MIME type")
        for key in data:
            if not isinstance(key, str):
                raise TypeError(f"emit() takes a dict whose keys are MIME types, not {type(key).__name__}")
    payload = _frames.checked_data(data, "emit()")
    cell = _cells.current.get()
    channel.send(_frames.data_line("display", None if cell is None else cell.id, payload))


async def host_request(data: dict) -> dict:
    """Send ``data`` to the host and return the reply's ``data`` as it came. Other tasks go on meanwhile.

    Raises TypeError or ValueError for data that JSON cannot carry, ConnectionError when the host is leaving.
    """
    from rlm import _runtime

    return await _runtime.require("host_request()").bridge.ask(data)


def host_request_sync(data: dict) -> dict:
    """Like ``host_request``, but block the calling thread. On the main thread an interrupt ends the wait."""
    from rlm import _runtime

    return _runtime.require("host_request_sync()").bridge.ask_blocking(data)


def post(data: dict) -> None:
    """Send ``data`` to the host as a ``host_request`` that is not to be answered."""
    from rlm import _runtime

    _runtime.require("post()").bridge.post(data)


def current_cell() -> str | None:
    """The id of the cell that the calling code belongs to; None in threads of the user's and outside of cells."""
    from rlm import _cells

    cell = _cells.current.get()
    return None if cell is None else cell.id


def is_active() -> bool:
    """True when this process serves the protocol; importing the module does not count."""
    from rlm import _runtime

    return _runtime.active is not None


def main() -> int:
    """Serve the protocol on the standard descriptors and return the exit code.

    The working folder, which ``-m`` puts at the front of ``sys.path``, is there again when all that the runtime needs is
    imported: a project's ``json.py`` is for its cells.
    """
    working_folder = _withdrawn()
    from rlm import _startup

    return _startup.run(working_folder)


def _withdrawn() -> str | None:
    """Take the working folder off the front of ``sys.path``, unless the runtime itself is imported from there."""
    import os  # imported by ``-m`` before any of this ran

    try:
        here = os.getcwd()
    except OSError:
        return None
    runtime = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path[:1] not in ([here], [""]) or os.path.realpath(runtime) == os.path.realpath(here):
        return None
    return sys.path.pop(0)


if __name__ == "__main__":
    from rlm.repl import main as _main  # the importable module, since this copy gives way to the cells' __main__

    sys.exit(_main())
