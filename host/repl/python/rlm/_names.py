"""Which names of the namespace are the user's."""

from __future__ import annotations

_FIXED = frozenset({"rlm", "mcp", "bash", "asyncio", "In", "Out", "get_ipython", "exit", "quit", "open"})
_NEVER_RESTORED = frozenset({"In", "Out", "get_ipython"})

_reserved: set[str] = set()  # what the host's bootstrap binds anew


def reserve(*names: str) -> None:
    """Make ``names`` the host's: neither listed, nor saved, nor restored."""
    _reserved.update(names)


def is_user_name(name: object) -> bool:
    """True for a name that a snapshot considers and ``list_names`` lists."""
    return isinstance(name, str) and not name.startswith("_") and name not in _FIXED and name not in _reserved


def is_restorable(name: str) -> bool:
    """True for a name that a restore may bind."""
    return name not in _NEVER_RESTORED and name not in _reserved


def user_names(namespace: dict) -> list[str]:
    """The user's top-level names, sorted."""
    return sorted(name for name in list(namespace) if is_user_name(name))
