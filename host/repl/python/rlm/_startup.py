"""The life of the process: descriptors, environment, wiring, the loop, and the end."""

from __future__ import annotations

import builtins
import os
import select
import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from threading import Thread
from time import sleep
from types import ModuleType

from rlm import _groups, _runtime, hooks
from rlm._bridge import Bridge
from rlm._channel import Channel
from rlm._interrupt import Interrupts, open_to_interrupts
from rlm._pumps import FdPump
from rlm._requests import RequestQueue, read_lines
from rlm._streams import TaggedStream

PROTOCOL = 3
CAPABILITIES = ["signatures"]
_NOT_STARTED = 3  # exit code
# What the runtime imports when it first needs it, before a folder of the user's could stand in its way.
_LATER = ("rlm._bash", "rlm._skills", "rlm._snapshot", "ast", "concurrent.futures.thread", "difflib", "dis", "inspect", "unicodedata")
_EXIT_SECONDS = 3.0  # what threads and exit handlers of cells have to end by themselves


class Descriptors:
    """The three standard descriptors as the host gave them, moved out of the reach of cells."""

    def __init__(self) -> None:
        for fd in (0, 1, 2):
            _ensure_open(fd)
        self.events = os.dup(1)
        self.requests = os.dup(0)
        self.errors = os.dup(2)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.close(null)


def run(working_folder: str | None = None) -> int:
    """Serve the protocol until shutdown and return the exit code. ``working_folder`` is kept back from ``sys.path`` until all is imported."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until there is something to interrupt
    descriptors = Descriptors()
    options = _take_options()
    if "RLM_LIFELINE_FD" in options:
        from rlm import _lifeline

        try:
            _lifeline.arm(int(options["RLM_LIFELINE_FD"]))
        except (OSError, ValueError) as exc:
            return _refuse(descriptors, f"RLM_LIFELINE_FD={options['RLM_LIFELINE_FD']} is no open descriptor: {exc}")
    if "RLM_WORKING_FOLDER" in options:
        try:
            os.chdir(options["RLM_WORKING_FOLDER"])
        except (OSError, ValueError) as exc:
            return _refuse(descriptors, f"cells cannot work in RLM_WORKING_FOLDER: {exc}")
        working_folder = None if getattr(sys.flags, "safe_path", False) else ""  # as in an interactive interpreter
    runtime = _assemble(descriptors)
    _runtime.active = runtime
    bootstrap = options.get("RLM_BOOTSTRAP")
    try:
        runtime.hooks = hooks.load(bootstrap)
    except BaseException as exc:
        return _refuse(descriptors, f"cannot import the bootstrap module {bootstrap}: {type(exc).__name__}: {exc}")
    runtime.channel.open({"event": "ready", "protocol": PROTOCOL, "python": sys.version.split()[0], "capabilities": CAPABILITIES})
    _serve(descriptors, runtime, working_folder)
    _bound_exit(0)
    return 0


def _assemble(descriptors: Descriptors) -> _runtime.Runtime:
    channel = Channel(descriptors.events, on_broken=_end_at_once)
    requests = RequestQueue()
    interrupts = Interrupts(requests)
    pumps = [FdPump("stdout", 1, channel), FdPump("stderr", 2, channel)]
    sys.stdout = sys.__stdout__ = TaggedStream("stdout", 1, channel, interrupts)
    sys.stderr = sys.__stderr__ = TaggedStream("stderr", 2, channel, interrupts)
    for part in (channel, *pumps):
        part.start()
    return _runtime.Runtime(channel, pumps, requests, interrupts, Bridge(channel), _install_main())


def _serve(descriptors: Descriptors, runtime: _runtime.Runtime, working_folder: str | None) -> None:
    # Loaded here, since asyncio takes longer than all before: the host has its ``ready`` meanwhile, and requests wait.
    import asyncio

    from rlm._server import Server

    if working_folder is not None:
        for name in _LATER:
            import_module(name)
        sys.path.insert(0, working_folder)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    server = Server(loop, runtime)
    runtime.interrupts.install(loop, asyncio.current_task)
    # Threads make a fork worth a warning in 3.12, but these threads are ours and a child does without them.
    warnings.filterwarnings("ignore", r"This process .* is multi-threaded, use of fork", DeprecationWarning)
    if hasattr(os, "register_at_fork"):
        _leave_to_parent_at_fork(runtime, descriptors)

    def read() -> None:
        read_lines(descriptors.requests, server.accept, server.turn)
        server.end_of_input()
        _exit_when_nobody_reads(descriptors.events)

    Thread(target=read, name="rlm-requests", daemon=True).start()
    while not server.ended:
        try:
            _turn(loop)
        except (KeyboardInterrupt, SystemExit):
            pass  # a background task died of it, and keeps it as its exception


@open_to_interrupts
def _turn(loop) -> None:
    loop.run_forever()


def _take_options() -> dict[str, str]:
    """The ``RLM_*`` variables, taken out of the environment together with the runtime's folder in ``PYTHONPATH``."""
    options = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("RLM_")}
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.environ.get("PYTHONPATH")
    if path is not None:
        kept = [entry for entry in path.split(os.pathsep) if os.path.abspath(entry) != folder]
        if kept:
            os.environ["PYTHONPATH"] = os.pathsep.join(kept)
        else:
            del os.environ["PYTHONPATH"]
    return options


def _install_main() -> ModuleType:
    """Put an empty ``__main__`` in place of the started module and return it."""
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv[:] = [""]
    return main


def _leave_to_parent_at_fork(runtime: _runtime.Runtime, descriptors: Descriptors) -> None:
    def in_child() -> None:
        runtime.channel.abandon()
        runtime.bridge.end_in_child()
        with suppress(OSError):  # a cell may have closed it
            os.close(descriptors.requests)

    os.register_at_fork(after_in_child=in_child)


def _exit_when_nobody_reads(fd: int) -> None:
    """After the end of the input, end the process once its output has no reader either: the host is gone."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(fd, 0)
        poll.poll()
        _end_at_once()


def _end_at_once() -> None:
    _groups.kill_all()
    os._exit(1)


def _bound_exit(code: int) -> None:
    """Let the interpreter end in the ordinary way, but not wait for ever for threads and exit handlers of cells."""
    def end() -> None:
        sleep(_EXIT_SECONDS)
        os._exit(code)

    Thread(target=end, name="rlm-exit", daemon=True).start()


def _ensure_open(fd: int) -> None:
    try:
        os.fstat(fd)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)
        if null != fd:
            os.dup2(null, fd)
            os.close(null)


def _refuse(descriptors: Descriptors, reason: str) -> int:
    """Say on the original stderr, in one line, why there will be no session; return the exit code."""
    _bound_exit(_NOT_STARTED)
    try:
        os.write(descriptors.errors, f"rlm: {' '.join(reason.split())}\n".encode("utf-8", "replace"))
    except OSError:
        pass
    return _NOT_STARTED
