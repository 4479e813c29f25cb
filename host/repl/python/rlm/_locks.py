"""What threads wait for, in pickles: always revived free, since nobody of this process holds it in the next.

dill revives an RLock as one that its owner of then holds, and a free one as held by nobody, for ever.
"""

from __future__ import annotations

import threading
from _thread import LockType, RLock
from collections.abc import Callable


def make_lock() -> LockType:
    """A free lock. Pickles name this function and those below, so names and parameters stay."""
    return threading.Lock()


def make_rlock() -> RLock:
    """A free lock that its owner may take again."""
    return threading.RLock()


def make_condition(lock: object) -> threading.Condition:
    """A condition that nobody waits for."""
    return threading.Condition(lock)


def make_event(is_set: bool) -> threading.Event:
    """An event in the same state."""
    event = threading.Event()
    if is_set:
        event.set()
    return event


def _saver(make: Callable, parts: Callable[[object], tuple]) -> Callable:
    def save(pickler, obj: object) -> None:
        pickler.save_reduce(make, parts(obj), obj=obj)

    return save


SAVERS: dict[type, Callable] = {
    LockType: _saver(make_lock, lambda _lock: ()),
    RLock: _saver(make_rlock, lambda _lock: ()),
    threading.Condition: _saver(make_condition, lambda condition: (condition._lock,)),
    threading.Event: _saver(make_event, lambda event: (event.is_set(),)),
}
