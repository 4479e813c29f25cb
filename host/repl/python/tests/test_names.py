"""list_names."""

from __future__ import annotations

from tests.client import RuntimeTest


class Names(RuntimeTest):
    def test_b110_sorted_user_names(self) -> None:
        client = self.start()
        client.send({"type": "list_names", "id": "n0"})
        self.assertEqual(client.until_done("n0"), [{"event": "done", "id": "n0", "status": "ok", "names": []}])
        client.run("b = 1\na = 2\ndef fn(): pass\nimport json\n_hidden = 1\n5")
        client.run("rlm = mcp = bash = asyncio = In = Out = get_ipython = exit = quit = open = 1\nglobals()[3] = 1")
        client.send({"type": "list_names", "id": "n1"})
        self.assertEqual(client.until_done("n1")[0]["names"], ["a", "b", "fn", "json"])
