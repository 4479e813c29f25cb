"""The runtime's hooks: binds ``s`` before each cell, shows its last value, explains a stray ``return``.

Imported once, by the runtime, before it says that it is ready.
"""

from __future__ import annotations

import os

import rlm.repl
from rlm import hooks

from serena_repl import record_methods, results
from serena_repl.bridge import Bridge
from serena_repl.entrypoint import present
from serena_repl.facades import Bindings
from serena_repl.formatting import format_value as format_result
from serena_repl.formatting import return_hint as syntax_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["before_cell", "before_restore", "format_result", "syntax_hint"]

hooks.reserve("s")
_bridge = Bridge(rlm.repl)
_root = ""
_s = present()


def before_cell(request: dict[str, Any], namespace: dict[str, Any]) -> None:
    """Bring ``s`` up to date and bind it anew, whatever an earlier cell did to the name.

    The host tells the present generation with each cell; the bindings are fetched only when it is not the one known. A
    request without it comes from a client that offers no facades.
    """
    told = request.get("serena")
    if not isinstance(told, dict):
        return
    known = _s._bindings
    if known is None or known.generation != told.get("generation"):
        answer = _bridge.ask("bindings", {})
        _s._bind(Bindings(_bridge, answer["generation"], answer["facades"], answer.get("refused")))
    _go(told.get("root") or "")
    _s._namespace = namespace
    namespace["s"] = _s


def before_restore(request: dict[str, Any], _namespace: dict[str, Any]) -> None:
    """Be in the folder of cells while values are unpickled: some of them ask where they are."""
    told = request.get("serena")
    if isinstance(told, dict):
        _go(told.get("root") or "")


def _go(root: str) -> None:
    """Work in the folder that the host names; an ``os.chdir`` of a cell's own holds until that is another one.

    The process is started elsewhere: ``python -m`` puts the folder it is started in before the standard library, where a
    project's ``json.py`` would be taken for the real one.
    """
    global _root
    if root and root != _root:
        os.chdir(root)
        os.environ["PWD"] = _root = root


def _render(facade: str, type_name: str, data: Any, policy: dict[str, Any]) -> str:
    return _bridge.ask("render", {"facade": facade, "type": type_name, "value": data, "policy": policy})["text"]


def _fetch(facade: str, method: str, data: Any) -> Any:
    return _bridge.ask("call", {"facade": facade, "method": method, "args": {"record": data}}).get("value")


def _method(facade: str, name: str) -> Any:
    return getattr(getattr(_s, facade), name)


results.renderer, results.fetcher, record_methods.finder = _render, _fetch, _method
