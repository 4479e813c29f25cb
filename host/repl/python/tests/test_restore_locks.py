"""Reviving what threads wait for."""

from __future__ import annotations

from tests.test_restore import RestoreTest

LOCKS = """
import functools, queue, threading
lock, rlock, held, held_again = threading.Lock(), threading.RLock(), threading.Lock(), threading.RLock()
ok = held.acquire(), held_again.acquire(), held_again.acquire()
condition, own = threading.Condition(), threading.Condition(lock)
on, off = threading.Event(), threading.Event()
on.set()
semaphore, bounded = threading.Semaphore(3), threading.BoundedSemaphore(2)
taken = semaphore.acquire()
pair = [rlock, rlock, threading.Condition(rlock)]
q = queue.Queue()
q.put(7)
class C:
    @functools.cached_property
    def slow(self): return 42
c = C()
"""
FROM_A_THREAD = """
import threading
def elsewhere(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()), daemon=True)
    thread.start()
    thread.join(10)
    return found[0] if found else 'stuck'
"""


class RestoreLocks(RestoreTest):
    def test_all_are_free(self) -> None:
        client = self.revived(LOCKS, FROM_A_THREAD)
        self.assert_values(
            client, a="[elsewhere(lambda l=l: l.acquire(timeout=2) and l.release()) for l in (lock, rlock, held, held_again, condition, own)] → [None, None, None, None, None, None]",
            b="on.is_set(), off.is_set(), on.wait(1) → (True, False, True)",
            c="[semaphore.acquire(timeout=0.01) for _ in range(3)], [bounded.acquire(timeout=0.01) for _ in range(3)] → ([True, True, False], [True, True, False])",
            d="elsewhere(lambda: C().slow), elsewhere(lambda: c.slow) → (42, 42)", e="elsewhere(lambda: q.get(timeout=2)) → 7", f="pair[0] is pair[1] is pair[2]._lock → True",
            g="type(rlock) is type(threading.RLock()), type(condition).__name__ → (True, 'Condition')",
        )  # fmt: skip
