"""What the host puts into the runtime: the bootstrap module's hooks, and whose frames are no part of a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module

from rlm import _names

_hidden: list[str] = [os.path.dirname(__file__) + os.sep]


class Hooks:
    """The functions of the bootstrap module; each is None where the module, or the module's function, is absent.

    ``before_cell(request, namespace)`` runs in the cell's task before it is compiled; its error is the cell's.
    ``before_restore(request, namespace)`` runs before a snapshot is restored; its error fails the restore.
    ``format_result(value)`` gives the text of the ``result`` event in place of ``repr``.
    ``syntax_hint(exc, code)`` gives a line to put below a syntax error, or None.
    """

    __slots__ = ("before_cell", "before_restore", "format_result", "syntax_hint")

    def __init__(self, module: object = None) -> None:
        self.before_cell: Callable[[dict, dict], None] | None = getattr(module, "before_cell", None)
        self.before_restore: Callable[[dict, dict], None] | None = getattr(module, "before_restore", None)
        self.format_result: Callable[[object], str] | None = getattr(module, "format_result", None)
        self.syntax_hint: Callable[[SyntaxError, str], str | None] | None = getattr(module, "syntax_hint", None)


def load(name: str | None) -> Hooks:
    """Import the bootstrap module ``name``, hide the frames of its package, and return its hooks."""
    if not name:
        return Hooks()
    module = import_module(name)
    package = sys.modules.get(module.__package__ or "")
    for folder in getattr(package, "__path__", ()):
        hide_frames(os.path.join(folder, ""))
    if package is None and module.__file__:
        hide_frames(module.__file__)
    return Hooks(module)


def hide_frames(path_prefix: str) -> None:
    """Leave frames of files whose path starts with ``path_prefix`` out of tracebacks."""
    if path_prefix and path_prefix not in _hidden:
        _hidden.append(path_prefix)


def reserve(*names: str) -> None:
    """Keep ``names``, which the bootstrap binds anew in each session, out of ``list_names``, snapshots and restores."""
    _names.reserve(*names)


def is_hidden(filename: str) -> bool:
    """True when frames of this file are left out of tracebacks."""
    return filename.startswith(tuple(_hidden))
