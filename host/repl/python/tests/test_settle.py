"""Await at top level, and what becomes of awaitable values."""

from __future__ import annotations

from tests.client import MARK, RuntimeTest, events, texts

F = "import asyncio\nasync def f(x=7):\n    await asyncio.sleep(0)\n    return x\n"


class Settle(RuntimeTest):
    def test_b29_top_level_await_in_all_forms(self) -> None:
        client = self.start()
        client.run(F + "async def gen():\n    for i in range(3):\n        yield i\n")
        self.assertEqual(client.value("await f(3)"), "3")
        self.assertEqual(client.value("out = []\nasync for i in gen(): out.append(i)\nout"), "[0, 1, 2]")
        self.assertEqual(client.value("lock = asyncio.Lock()\nasync with lock: held = lock.locked()\nheld"), "True")
        self.assertEqual(client.value("[i * 2 async for i in gen()]"), "[0, 2, 4]")
        self.assertEqual(client.value("[await f(i) for i in (4, 5)]"), "[4, 5]")

    def test_b30_tasks_outlive_their_cell_with_its_id(self) -> None:
        client = self.start()
        code = "import asyncio\nasync def talk():\n    await go.wait()\n    for n in range(3):\n        print(n)\n        await asyncio.sleep(0)\n"
        ident = client.start(code + "go = asyncio.Event()\nt = asyncio.create_task(talk())\nloop = asyncio.get_running_loop()")
        client.until_done(ident)
        client.run("go.set()")
        text = ""
        while text != "0\n1\n2\n":
            frame = client.frame()
            self.assertEqual((frame["event"], frame["id"]), ("stdout", ident))
            text += frame["text"]
        self.assertEqual(client.value("loop is asyncio.get_running_loop()"), "True")

    def test_b31_bare_coroutine(self) -> None:
        client = self.start()
        self.assertEqual(client.value(F + "f()"), "7")
        self.assertEqual(client.value("_"), "7")

    def test_b32_any_awaitable(self) -> None:
        client = self.start()
        client.run(F + "class A:\n    def __await__(self):\n        yield from asyncio.sleep(0).__await__()\n        return 'awaited'\n")
        self.assertEqual(client.value("A()"), "'awaited'")
        self.assertEqual(client.value("asyncio.gather(f(1), f(2))"), "[1, 2]")
        self.assertEqual(client.value("fut = asyncio.get_running_loop().create_future()\nasyncio.get_running_loop().call_soon(fut.set_result, 5)\nfut"), "5")
        self.assertEqual(client.value("import types\n@types.coroutine\ndef old():\n    yield\n    return 'old'\nold()"), "'old'")

    def test_b33_a_task_is_shown_and_kept(self) -> None:
        client = self.start()
        self.assertTrue(client.value(F + "go = asyncio.Event()\nasync def g():\n    await go.wait()\n    return 9\nt = asyncio.create_task(g())\nt").startswith("<Task "))
        self.assertEqual(client.value("_ is t, t.done()"), "(True, False)")
        client.run("go.set()")
        self.assertEqual(client.value("await t"), "9")

    def test_b35_bare_and_awaited_agree(self) -> None:
        client = self.start()
        client.run(F + "async def nested(): return f([1])")
        for call in ("f(5)", "f('s')", "f([1])", "nested()"):
            self.assertEqual(client.value(call), client.value(f"await {call}"))

    def test_b36_settled_values_can_be_awaited(self) -> None:
        client = self.start()
        client.run(F + "f({'k': 1})")
        for _ in range(3):
            self.assertEqual(client.value("await _"), "{'k': 1}")
        self.assertEqual(client.value("got = await _; again = await got; got is again is _"), "True")

    def test_b37_plain_values_too_and_they_stay_plain(self) -> None:
        client = self.start()
        for code, kind in (("5", "int"), ("'s'", "str"), ("[1, 2]", "list"), ("1.5", "float")):
            client.run(code)
            self.assertEqual(client.value("await _"), code)
            self.assertEqual(client.value("type(_)"), f"<class '{kind}'>")

    def test_b38_other_plain_values_cannot_be_awaited(self) -> None:
        client = self.start()
        client.run("'settled'")
        self.assert_error(client.run("await 'another'"), "TypeError")
        self.assert_error(client.run("x = 5000\nawait x"), "TypeError")
        self.assert_error(client.run("await None"), "TypeError")

    def test_b39_unfinished_things_are_kept(self) -> None:
        client = self.start()
        client.run(F + "c = f()")
        self.assertEqual(client.value("type(c).__name__, await c"), "('coroutine', 7)")
        self.assertTrue(client.value("(i for i in 'ab')").startswith("<generator "))
        self.assertEqual(client.value("next(_)"), "'a'")
        self.assertTrue(client.value("async def ag():\n    yield 1\nag()").startswith("<async_generator "))

    def test_b40_bare_coroutine_that_raises(self) -> None:
        frames = self.start().run("async def f():\n    raise ValueError('x')\nf()")
        self.assertEqual(events(frames), ["error", "done"])
        self.assertIn('"<cell-1>", line 2, in f', "".join(self.assert_error(frames, "ValueError")["traceback"]))

    def test_b41_bare_coroutine_of_none(self) -> None:
        client = self.start()
        client.run("42")
        self.assert_ok(client.run("async def f(): pass\nf()"))
        self.assertEqual(client.value("_"), "42")

    def test_b42_bare_coroutine_can_be_interrupted(self) -> None:
        client = self.start()
        ident = client.start(MARK + "import asyncio\nasync def f():\n    asyncio.get_running_loop().call_soon(mark, {'at': 1})\n    await asyncio.sleep(1e9)\nf()")
        client.until_mark()
        client.interrupt(ident)
        self.assert_error(client.until_done(ident), "KeyboardInterrupt")
        self.assert_alive(client)

    def test_b43_a_loop_in_a_loop(self) -> None:
        client = self.start()
        self.assert_error(client.run(F + "c = f()\ntry: asyncio.run(c)\nfinally: c.close()"), "RuntimeError")
        self.assertEqual(client.value("import threading\nr = []\nt = threading.Thread(target=lambda: r.append(asyncio.run(f(3))))\nt.start(); t.join(); r"), "[3]")

    def test_b142_context_of_a_cell_is_its_tasks(self) -> None:
        client = self.start()
        ident = client.start(
            "import asyncio, contextvars\nv = contextvars.ContextVar('v', default='unset')\nv.set('one')\n"
            "async def show():\n    await go.wait()\n    print(v.get())\ngo = asyncio.Event()\nt = asyncio.create_task(show())"
        )
        client.until_done(ident)
        frames = client.run("v.set('two')\ngo.set()\nawait t")
        self.assertEqual(texts(frames, "stdout", ident), "one\n")
