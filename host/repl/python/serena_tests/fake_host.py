"""A stand-in for the module rlm.repl, with a host behind it that answers from a table."""

from __future__ import annotations

from typing import Any

from serena_repl.bridge import Bridge
from serena_repl.facades import Bindings

TEXT, NUMBER = {"name": "str"}, {"name": "int"}


def listed(ref: dict) -> dict:
    return {"name": "list", "args": [ref]}


def optional(ref: dict) -> dict:
    return {"name": "optional", "args": [ref]}


def member(name: str, ref: dict) -> dict:
    return {"name": name, "type": ref}


TYPES = [
    {"name": "Kind", "kind": "enum", "members": [{"name": "FILE", "value": 1}, {"name": "CLASS", "value": 5}]},
    {
        "name": "Symbol",
        "kind": "record",
        "doc": "A symbol.",
        "members": [
            member("name", TEXT),
            member("kind", {"name": "Kind"}),
            member("line", NUMBER),
            member("parent", optional({"name": "Symbol"})),
            member("hash_", TEXT),
        ],
    },
    {
        "name": "Symbols",
        "kind": "record",
        "items": "symbols",
        "members": [member("symbols", listed({"name": "Symbol"})), member("by_name", {"name": "dict", "args": [{"name": "Symbol"}]})],
    },
]

FIND = {
    "name": "find_symbol",
    "summary": "Finds symbols.",
    "doc": "By their name.",
    "params": [
        {"name": "name_path", "type": TEXT, "aliases": ["name_path_pattern"], "doc": "what to find"},
        {"name": "include_kinds", "type": listed({"name": "Kind"}), "default": []},
        {"name": "mode", "type": {"name": "literal", "values": ["a", "b"]}, "default": "a"},
        {"name": "limit", "type": optional(NUMBER), "default": None},
    ],
    "result": {"name": "Symbols"},
}
STATUS = {"name": "status", "summary": "Tells the state.", "params": [], "result": {"name": "dict", "args": [NUMBER]}}
FACADES = [{"name": "lsp", "summary": "symbols", "doc": "Of code.", "methods": [FIND, STATUS], "types": TYPES}]

SYMBOL = {"name": "f", "kind": 5, "line": 3, "hash_": "x"}


class FakeRuntime:
    """Records what is sent. ``answer`` is a reply, or an exception for the wait to end with."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.posted: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | BaseException = {"status": "ok", "result": {}}

    def host_request_sync(self, data: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(data)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def host_request(self, data: dict[str, Any]) -> dict[str, Any]:
        return self.host_request_sync(data)

    def post(self, data: dict[str, Any]) -> None:
        self.posted.append(data)

    def current_cell(self) -> str | None:
        return "c1"

    def give(self, **result: Any) -> None:
        self.answer = {"status": "ok", "result": result}


def bindings(runtime: FakeRuntime, generation: str = "g1", refused: dict[str, str] | None = None) -> Bindings:
    return Bindings(Bridge(runtime), generation, FACADES, refused)
