"""Cells: results, names, errors and tracebacks."""

from __future__ import annotations

from tests.client import MARK, RuntimeTest, events, texts


class Results(RuntimeTest):
    def test_b04_trailing_value(self) -> None:
        client = self.start()
        ident = client.start("1+1")
        self.assertEqual(
            client.until_done(ident), [{"event": "result", "id": ident, "text": "2"}, {"event": "done", "id": ident, "status": "ok"}]
        )
        self.assertEqual(client.value("10\nx = 3; 5\nx + 1  # four"), "4")
        self.assertEqual(client.value("1; 'two'"), "'two'")

    def test_b05_cells_without_a_value(self) -> None:
        client = self.start()
        for code in ("x = 5", "None", "", "  \n\t\n", "# nothing", "def f(): pass", "if True: 3", "pass"):
            self.assert_ok(client.run(code))

    def test_b06_underscore_is_the_last_value(self) -> None:
        client = self.start()
        client.run("41")
        for code in ("y = 1", "None", "1/0", "raise ValueError", "class R:\n    def __repr__(self): 1/0", "R()", "x ="):
            client.run(code)
        self.assertEqual(client.value("_ + 1"), "42")
        self.assertEqual(client.value("_"), "42")

    def test_b07_one_main_namespace(self) -> None:
        client = self.start()
        client.run("import json\nkept = [1]\ndef double(x): return x * 2")
        self.assertEqual(client.value("kept.append(double(4)); json.dumps(kept)"), "'[1, 8]'")
        self.assertEqual(client.value("import __main__\n__name__, __main__.kept is kept, __main__.__dict__ is globals()"), "('__main__', True, True)")
        self.assertEqual(client.value("class C: pass\nC.__module__, double.__module__"), "('__main__', '__main__')")

    def test_b08_pipelined_cells_in_order(self) -> None:
        client = self.start()
        idents = [client.new_id() for _ in range(20)]
        client.send(*({"type": "execute", "id": i, "code": f"print({i!r})\n{i!r}"} for i in idents))
        frames = client.until_done(idents[-1])
        self.assertEqual([(f["id"], f["event"]) for f in frames], [(i, e) for i in idents for e in ("stdout", "result", "done")])

    def test_b09_result_is_the_whole_repr(self) -> None:
        client = self.start()
        for value in ("it's \"q\"\n\t\\", "é€😀\u2028\x00", "x" * 3_000_000):
            self.assertEqual(client.value(f"text = {value!r}\ntext"), repr(value))

    def test_b10_ids_come_back(self) -> None:
        client = self.start()
        for ident in ("", "é/😀", "i" * 5_000, "a\"b'c", "two\nlines\r", "\u2028"):
            client.send({"type": "execute", "id": ident, "code": "print(1)\n2"})
            self.assertEqual({f["id"] for f in client.until_done(ident)}, {ident})

    def test_b11_one_done_each(self) -> None:
        client = self.start()
        for ident, code in (("a", "1"), ("b", "1/0"), ("c", "x =")):
            client.send({"type": "execute", "id": ident, "code": code})
        client.send({"type": "list_names", "id": "d"})
        frames = client.rest()
        self.assertEqual([f["id"] for f in frames if f["event"] == "done"], ["a", "b", "c", "d"])
        self.assertEqual([f["id"] for f in frames], sorted(f["id"] for f in frames))

    def test_contextvars_and_decimal_context_hold_for_the_next_cell(self) -> None:
        client = self.start()
        client.run("import contextvars, decimal\nv = contextvars.ContextVar('v', default=0)\nv.set(7)\ndecimal.getcontext().prec = 5")
        self.assertEqual(client.value("v.get(), decimal.Decimal(1) / 3"), "(7, Decimal('0.33333'))")


class Errors(RuntimeTest):
    def test_b12_error_after_output(self) -> None:
        client = self.start()
        frames = client.run("kept = 1\nprint('before')\nraise ValueError('bad é')\nnever = 1")
        self.assertEqual(events(frames), ["stdout", "error", "done"])
        self.assertEqual(self.assert_error(frames, "ValueError")["evalue"], "bad é")
        self.assertEqual(client.value("kept, 'never' in globals()"), "(1, False)")

    def test_b13_traceback_names_cell_line_and_source(self) -> None:
        client = self.start()
        text = "".join(self.assert_error(client.run("def f():\n    return 1/0\n\nf()"), "ZeroDivisionError")["traceback"])
        for part in ('File "<cell-1>", line 4, in <module>\n    f()\n', 'File "<cell-1>", line 2, in f\n    return 1/0\n'):
            self.assertIn(part, text)
        text = "".join(self.assert_error(client.run("from rlm.repl import emit\nemit(5)"), "TypeError")["traceback"])
        self.assertIn('File "<cell-2>", line 2', text)

    def test_b14_library_frames_stay(self) -> None:
        text = "".join(self.assert_error(self.start().run("import json\njson.loads('{')"), "JSONDecodeError")["traceback"])
        self.assertIn("decoder.py", text)

    def test_b15_sources_of_old_cells(self) -> None:
        client = self.start()
        client.run("def boom():\n    raise KeyError('from one')")
        for _ in range(30):
            client.run("pass")
        text = "".join(self.assert_error(client.run("boom()"), "KeyError")["traceback"])
        for part in ('"<cell-32>", line 1', '"<cell-1>", line 2', "    raise KeyError('from one')\n"):
            self.assertIn(part, text)
        self.assertEqual(client.value('import linecache\nlinecache.getline("<cell-1>", 1)'), repr("def boom():\n"))

    def test_b16_chained_exceptions(self) -> None:
        code = "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise ValueError('second') from e"
        text = "".join(self.assert_error(self.start().run(code), "ValueError")["traceback"])
        parts = text.split("\nThe above exception was the direct cause of the following exception:\n")
        self.assertEqual(len(parts), 2)
        self.assertIn("ZeroDivisionError: division by zero", parts[0])
        self.assertIn("ValueError: second", parts[1])

    def test_b17_syntax_errors(self) -> None:
        client = self.start()
        error = self.assert_error(client.run("ran = 1\nx = = 2"), "SyntaxError")
        text = "".join(error["traceback"])
        self.assertIn('  File "<cell-1>", line 2\n    x = = 2\n', text)
        self.assertIn("^", text)
        self.assertEqual(text.count("File "), 1)
        self.assertEqual(client.value("'ran' in globals()"), "False")
        error = self.assert_error(client.run("ran = 1\nreturn 5"), "SyntaxError")
        self.assertIn('  File "<cell-3>", line 2\n    return 5\n    ^^^^^^^^\n', "".join(error["traceback"]))
        self.assert_error(client.run("ran = 1\nawait f()\nreturn"), "SyntaxError")
        self.assert_error(client.run("if 1:\npass"), "IndentationError")
        self.assertEqual(client.value("'ran' in globals()"), "False")

    def test_b18_exception_that_cannot_be_shown(self) -> None:
        client = self.start()
        error = self.assert_error(client.run("class Odd(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise Odd"), "Odd")
        self.assertIn("Odd", error["evalue"])
        self.assert_alive(client)

    def test_b19_repr_that_raises(self) -> None:
        client = self.start()
        frames = client.run("class R:\n    def __repr__(self): raise LookupError('no repr')\nR()")
        self.assertEqual(events(frames), ["error", "done"])
        self.assertIn("<cell-1>", "".join(self.assert_error(frames, "LookupError")["traceback"]))

    def test_b23_base_exceptions(self) -> None:
        client = self.start()
        self.assert_error(client.run("raise KeyboardInterrupt"), "KeyboardInterrupt")
        self.assert_error(client.run("class Mine(BaseException): pass\nraise Mine('x')"), "Mine")
        self.assert_error(client.run("raise SystemExit(4)"), "SystemExit")
        self.assert_error(client.run("import asyncio\nraise asyncio.CancelledError"), "CancelledError")
        self.assert_error(client.run("asyncio.current_task().cancel()\nawait asyncio.sleep(0)"), "CancelledError")
        self.assert_error(client.run("raise GeneratorExit"), "GeneratorExit")
        self.assert_alive(client)

    def test_b24_endless_recursion_is_bounded(self) -> None:
        client = self.start()
        self.assertLess(len("".join(self.assert_error(client.run("def f(): f()\nf()"), "RecursionError")["traceback"])), 200_000)
        mutual = "import sys\nsys.setrecursionlimit(9000)\ndef a(x): return b(x + 1) + 1 # " + "x" * 200 + "\ndef b(x): return a(x + 1) * 2\na(0)"
        self.assertLess(len("".join(self.assert_error(client.run(mutual), "RecursionError")["traceback"])), 200_000)
        self.assert_alive(client)

    def test_b25_sources_too_deep_for_the_compiler(self) -> None:
        client = self.start()
        for code in ("a" + ".b" * 100_000, "(" * 5_000 + ")" * 5_000, "x = await y" + ".b" * 100_000):
            frames = client.run(code)
            self.assertIn(frames[-2]["ename"], ("SyntaxError", "RecursionError", "MemoryError"))
            self.assert_alive(client)

    def test_b26_hard_exit(self) -> None:
        client = self.start()
        client.start(MARK + "mark({'at': 1})\nimport os\nos._exit(7)")
        client.until_mark()
        self.assertEqual(client.rest(), [])
        self.assertEqual(client.exit_code(), 7)

    def test_b27_fork(self) -> None:
        client = self.start()
        self.assertEqual(
            client.value("import os\npid = os.fork()\nif pid == 0: os._exit(5)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"), "5"
        )
        self.assert_alive(client)

    def test_b28_background_failures(self) -> None:
        client = self.start()
        client.run("import asyncio, threading, gc\nasync def bad(): raise ValueError('in task')\nt = asyncio.create_task(bad())")
        client.run("await asyncio.sleep(0); del t; gc.collect(); None")
        frames = client.run("def f(): raise ValueError('in thread')\nt = threading.Thread(target=f); t.start(); t.join()")
        self.assertIn("ValueError: in thread", texts(frames, "stderr", None))
        self.assertEqual(frames[-1]["status"], "ok")
        client.run("async def leave(): raise SystemExit(3)\nt = asyncio.create_task(leave())\nawait asyncio.sleep(0)")
        self.assert_alive(client)

    def test_exception_groups_lose_the_runtimes_frames_too(self) -> None:
        client = self.start()
        code = "from rlm.repl import emit\nes = []\nfor bad in (1, {}):\n    try: emit(bad)\n    except Exception as e: es.append(e)\nraise ExceptionGroup('both', es)"
        if client.value("'ExceptionGroup' in dir(__builtins__)") == "True":
            frames = client.run(code)
            text = "".join(frames[-2]["traceback"])
            self.assertEqual(text.count('"<cell-2>"'), 3)
            self.assertNotIn("repl.py", text)


class StopIterations(RuntimeTest):
    def test_it_is_the_cells_error_as_it_is(self) -> None:
        client = self.start()
        for code, line in (
            ("next(iter([]))", "next(iter([]))"),
            ("x = next(iter([]))", "x = next(iter([]))"),
            ("raise StopIteration(3)", "raise StopIteration(3)"),
            ("import asyncio\nawait asyncio.sleep(0)\nraise StopIteration(3)", "raise StopIteration(3)"),
            ("class R:\n    def __repr__(self): raise StopIteration(3)\nR()", "def __repr__(self): raise StopIteration(3)"),
        ):
            error = self.assert_error(client.run(code), "StopIteration")
            text = "".join(error["traceback"])
            self.assertEqual((error["evalue"], text.count("Traceback")), ("3" if "3" in code else "", 1), text)
            self.assertIn(f"    {line}\n", text)
            self.assertTrue(text.endswith("StopIteration: 3\n" if "3" in code else "StopIteration\n"), text)
        self.assert_alive(client)

    def test_one_of_an_awaited_coroutine_stays_what_python_makes_of_it(self) -> None:
        client = self.start()
        error = self.assert_error(client.run("async def f(): raise StopIteration(3)\nawait f()"), "RuntimeError")
        self.assertEqual(error["evalue"], "coroutine raised StopIteration")
        self.assert_error(client.run("raise RuntimeError('coroutine raised StopIteration')"), "RuntimeError")
