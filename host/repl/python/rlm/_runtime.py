"""The running runtime: its parts in one place, and the way of the public module to them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from rlm._bridge import Bridge
    from rlm._channel import Channel
    from rlm._interrupt import Interrupts
    from rlm._pumps import FdPump
    from rlm._requests import RequestQueue
    from rlm.hooks import Hooks


class Runtime:
    """The parts that live as long as the process; each knows only those it was made with."""

    def __init__(
        self, channel: Channel, pumps: list[FdPump], requests: RequestQueue, interrupts: Interrupts, bridge: Bridge, main: ModuleType,
    ) -> None:  # fmt: skip
        self.channel = channel
        self.pumps = pumps
        self.requests = requests
        self.interrupts = interrupts
        self.bridge = bridge
        self.main = main  # the module and not its dict alone, so that the interpreter clears it at exit and files are flushed
        self.hooks: Hooks | None = None  # set once the bootstrap module is loaded


# None in a process that does not serve the protocol.
active: Runtime | None = None


def require(caller: str) -> Runtime:
    """The running runtime. Raises RuntimeError when there is none."""
    if active is None:
        raise RuntimeError(f"{caller} works in a session only: this process was not started by `python -m rlm.repl`")
    return active
