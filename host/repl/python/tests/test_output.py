"""Output of cells: who it belongs to, when it comes, and that none is lost."""

from __future__ import annotations

import time

from tests.client import MARK, RuntimeTest, events, texts


class Streams(RuntimeTest):
    def test_b44_input_is_at_its_end(self) -> None:
        client = self.start()
        first = client.start("input('? ')")
        second = client.start("import os, sys\nsys.stdin.read(), os.read(0, 5)")
        frames = client.until_done(first)
        self.assertEqual(texts(frames, "stdout", first), "? ")
        self.assert_error(frames, "EOFError")
        self.assertEqual(client.until_done(second)[0]["text"], "('', b'')")

    def test_b45_cells_may_break_their_streams(self) -> None:
        for code in ("print = None", "import builtins\nbuiltins.print = lambda *a: None", "import sys\nsys.stdout = None", "import io, sys\nsys.stdout = io.StringIO()"):
            client = self.start()
            self.assert_ok(client.run(code))
            self.assert_alive(client)

    def test_b46_closed_streams(self) -> None:
        client = self.start()
        self.assert_ok(client.run("import sys\nsys.stdout.close(); sys.stderr.close()"))
        self.assertEqual(events(client.run("print('on')\nsys.stderr.write('err')\nNone")), ["stdout", "stderr", "done"])

    def test_closed_descriptors_do_not_stop_the_cell(self) -> None:
        client = self.start()
        self.assert_ok(client.run("import os\nos.close(1); os.close(2)"))
        frames = client.run("print('on')")
        self.assertEqual(events(frames), ["stdout", "done"])

    def test_b49_tagged_text(self) -> None:
        client = self.start()
        ident = client.start("import sys\nprint('a', 'b', sep='-')\nprint('c', end='')\nsys.stderr.write('d\\n')\nprint('e', file=sys.stderr)\nprint('€')")
        frames = client.until_done(ident)
        self.assertEqual(texts(frames, "stdout", ident), "a-b\nc€\n")
        self.assertEqual(texts(frames, "stderr", ident), "d\ne\n")
        self.assertEqual([(f["event"], f.get("text")) for f in frames[:3]], [("stdout", "a-b\nc"), ("stderr", "d\ne\n"), ("stdout", "€\n")])

    def test_b50_a_hundred_thousand_prints_come_in_under_a_thousand_frames(self) -> None:
        client = self.start()
        ident = client.start("for i in range(100_000): print(i)")
        frames = client.until_done(ident)
        self.assertEqual(texts(frames, "stdout", ident), "".join(f"{i}\n" for i in range(100_000)))
        self.assertLess(len(frames), 1000)

    def test_b50_prints_are_batched(self) -> None:
        client = self.start()
        began = time.monotonic()
        ident = client.start("for i in range(20_000): print('%018d' % i)")
        frames = client.until_done(ident)
        text = texts(frames, "stdout", ident)
        self.assertEqual(text, "".join("%018d\n" % i for i in range(20_000)))
        self.assertLessEqual(len(frames) - 1, len(text) / 8192 + (time.monotonic() - began) / 0.05 + 1)
        self.assertLessEqual(max(len(f["text"]) for f in frames[:-1]), 16_384)
        self.assertLessEqual(len(client.run("for i in range(40): print(i)")), 3)

    def test_b51_a_batch_leaves_by_age_while_the_cell_blocks(self) -> None:
        client = self.start()
        began = time.monotonic()
        ident = client.start("print('soon')\nwhile True: pass")
        frame = client.frame()
        self.assertEqual((frame["event"], frame["id"], frame["text"]), ("stdout", ident, "soon\n"))
        self.assertLess(time.monotonic() - began, 2.0)
        client.interrupt()
        client.until_done(ident)

    def test_b52_other_frames_ship_the_batch_first(self) -> None:
        client = self.start()
        frames = client.run(MARK + "print('a')\nmark({'at': 1})\nprint('b')\nmark({'at': 2})\n'value'")
        self.assertEqual(events(frames), ["stdout", "display", "stdout", "display", "result", "done"])
        client.start("import rlm.repl\nprint('first')\nawait rlm.repl.host_request({'q': 1})")
        self.assertEqual(events([client.frame(), client.frame()]), ["stdout", "host_request"])

    def test_b54_threads_own_nothing_and_are_not_held_back(self) -> None:
        client = self.start()
        ident = client.start("import threading\ngo = threading.Event()\nt = threading.Thread(target=lambda: (print('from thread'), go.wait()))\nt.start(); t.join()")
        text = ""
        while text != "from thread\n":
            frame = client.frame()
            self.assertEqual((frame["event"], frame["id"]), ("stdout", None))
            text += frame["text"]
        client.interrupt(ident)
        client.until_done(ident)
        client.run("go.set()")

    def test_b55_a_task_keeps_its_cells_id(self) -> None:
        client = self.start()
        one = client.start("import asyncio\nasync def talk():\n    await go.wait()\n    print('of one')\ngo = asyncio.Event()\nt = asyncio.create_task(talk())")
        client.until_done(one)
        two = client.start("print('of two')\ngo.set()\nawait t\nprint('again')")
        frames = client.until_done(two)
        self.assertEqual(texts(frames, "stdout", one), "of one\n")
        self.assertEqual(texts(frames, "stdout", two), "of two\nagain\n")

    def test_b61_the_stream_is_a_text_stream(self) -> None:
        client = self.start()
        client.run("import sys, io, contextlib")
        self.assertEqual(client.value("o = sys.stdout\n[s.fileno() for s in (sys.stdout, sys.stderr)], o.encoding, o.isatty(), o.writable(), o.closed"), "([1, 2], 'utf-8', False, True, False)")
        ident = client.start("n = o.write('abc'); o.flush(); o.writelines(['d', 'e']); o.reconfigure(encoding='utf-8')\n(n, isinstance(o, io.TextIOBase), o.write(''))")
        frames = client.until_done(ident)
        self.assertEqual([f.get("text") for f in frames], ["abcde", "(3, True, 0)", None])
        self.assert_error(client.run("o.write(5)"), "TypeError")
        self.assertEqual(client.value("with contextlib.redirect_stdout(io.StringIO()) as caught: print('x')\ncaught.getvalue()"), repr("x\n"))

    def test_b64_warnings(self) -> None:
        client = self.start()
        ident = client.start("import warnings\nwarnings.warn('careful')")
        text = texts(client.until_done(ident), "stderr", ident)
        self.assertIn("careful", text)
        self.assertIn("<cell-1>:2", text)

    def test_finalizers_that_print_inside_a_send_do_no_harm(self) -> None:
        client = self.start()
        code = "import gc\nclass Loud:\n    def __init__(self): self.me = self\n    def __del__(self): print('gone')\ngc.set_threshold(1)\n"
        ident = client.start(code + "for i in range(3000):\n    Loud()\n    print('x' * 50)\ngc.set_threshold(700); gc.collect(); None")
        text = texts(client.until_done(ident), "stdout", ident)
        self.assertEqual((text.count("gone"), text.count("x")), (3000, 150_000))


class Raw(RuntimeTest):
    def test_b56_raw_bytes_have_no_owner_and_precede_done(self) -> None:
        client = self.start()
        ident = client.start(
            "import os, sys, subprocess\nos.write(1, b'a'); sys.stdout.buffer.write(b'b'); subprocess.run(['echo', 'c'])\nos.system('echo d; echo e >&2'); os.write(2, b'f')\nNone"
        )
        frames = client.until_done(ident)
        self.assertEqual(texts(frames, "stdout", None), "abc\nd\n")
        self.assertEqual(texts(frames, "stderr", None), "e\nf")
        self.assertEqual({f["id"] for f in frames[:-1]}, {None})

    def test_b57_characters_are_whole(self) -> None:
        client = self.start()
        frames = client.run("import os\nfor b in '€😀é'.encode(): os.write(1, bytes([b]))")
        self.assertEqual(texts(frames, "stdout", None), "€😀é")
        frames = client.run("data = ('€' * 60_000).encode()\nfor i in range(0, len(data), 4099): os.write(1, data[i:i + 4099])")
        self.assertEqual(texts(frames, "stdout", None), "€" * 60_000)
        self.assertEqual(texts(client.run("os.write(1, b'x\\xffy'); None"), "stdout", None), "x\ufffdy")
        self.assertEqual(texts(client.run("os.write(1, b'cut\\xe2\\x82'); None"), "stdout", None), "cut\ufffd")
        self.assertEqual(texts(client.run("os.write(1, b'\\x00'); os.write(1, b'\\x00\\xfe'); None"), "stdout", None), "\0\0\ufffd")

    def test_b59_much_at_once(self) -> None:
        client = self.start()
        frames = client.run("import os, sys\nrest = memoryview(b'y' * (1 << 20))\nwhile rest: rest = rest[os.write(1, rest):]")
        self.assertEqual(texts(frames, "stdout", None), "y" * (1 << 20))
        self.assertEqual(texts(client.run("sys.stdout.buffer.write(b'z' * 300_000); None"), "stdout", None), "z" * 300_000)
        ident = client.start("print('w' * 5_000_000)")
        self.assertEqual(texts(client.until_done(ident), "stdout", ident), "w" * 5_000_000 + "\n")

    def test_b60_lone_surrogates(self) -> None:
        client = self.start()
        ident = client.start("print('s\\ud800e')")
        self.assertEqual(texts(client.until_done(ident), "stdout", ident), "s\ufffde\n")
        self.assertEqual(self.assert_error(client.run("raise ValueError('\\udfff')"), "ValueError")["evalue"], "\ufffd")
        self.assert_alive(client)

    def test_b62_a_flood_beside_cells(self) -> None:
        client = self.start()
        client.run("import os, threading\nstop = False\ndef flood():\n    while not stop: os.write(1, '€ flood '.encode() * 99)\nt = threading.Thread(target=flood); t.start()")
        for n in range(20):
            ident = client.start(f"{n}")
            frames = client.until_done(ident)
            own = [f for f in frames if f["id"] is not None]
            self.assertEqual(own, [{"event": "result", "id": ident, "text": str(n)}, {"event": "done", "id": ident, "status": "ok"}])
            others = [f for f in frames if f["id"] is None]
            self.assertEqual({f["event"] for f in others} | {"stdout"}, {"stdout"})
            self.assertNotIn("\ufffd", texts(frames, "stdout", None))
        client.run("stop = True\nt.join()")

    def test_b63_threads_and_the_cell_write_whole(self) -> None:
        client = self.start()
        ident = client.start(
            "import sys, threading\ndef w(k):\n    for i in range(300): sys.stdout.write(f'<{k}{i}>')\n"
            "ts = [threading.Thread(target=w, args=(k,)) for k in 'abcd']\nfor t in ts: t.start()\nw('m')\nfor t in ts: t.join()"
        )
        frames = client.until_done(ident)
        self.assertEqual(texts(frames, "stdout", ident), "".join(f"<m{i}>" for i in range(300)))
        writes = [f["text"] for f in frames if f["event"] == "stdout" and f["id"] is None]
        for k in "abcd":
            self.assertEqual([t for t in writes if t[1] == k], [f"<{k}{i}>" for i in range(300)])
        self.assertEqual(len(writes), 1200)
