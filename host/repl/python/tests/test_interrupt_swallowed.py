"""Interrupts that land where Python swallows exceptions."""

from __future__ import annotations

from tests.client import MARK, RuntimeTest, events, texts

HEAD = MARK + "import gc, time, weakref\nclass D: pass\ndef block(*_):\n    mark({'at': 1})\n    while True: time.sleep(0.01)\n"
LOOP = "\nwhile True: time.sleep(0.01)"


class Swallowed(RuntimeTest):
    def test_the_cell_ends_all_the_same(self) -> None:
        client = self.start()
        for code in (
            "D.__del__ = block\nd = D()\ndel d" + LOOP,
            "D.__del__ = block\nd = D()\ndel d",  # over before it comes again
            "gc.callbacks.append(lambda phase, _: phase == 'stop' and block())\ntry: gc.collect()\nfinally: gc.callbacks.clear()" + LOOP,
            "d = D()\nr = weakref.ref(d, block)\ndel d" + LOOP,
        ):
            ident = client.start(HEAD + code)
            client.until_mark()
            client.interrupt(ident)
            frames = client.until_done(ident)
            self.assertEqual(events(frames), ["error", "done"], frames)
            self.assert_error(frames, "KeyboardInterrupt")
            self.assert_alive(client)
            self.assert_ok(client.run("for i in range(100_000): pass"))

    def test_one_of_the_cells_own_is_reported(self) -> None:
        client = self.start()
        code = "class D:\n    def __del__(self): raise KeyboardInterrupt('mine')\nd = D()\ndel d"
        ident = client.start(code)
        frames = client.until_done(ident)
        self.assertEqual((events(frames)[-1], frames[-1]["status"]), ("done", "ok"))
        self.assertIn("KeyboardInterrupt: mine", texts(frames, "stderr", ident))
