"""Which names of the namespace are the user's."""

from __future__ import annotations

_NOT_USERS = frozenset({"rlm", "mcp", "bash", "asyncio", "In", "Out", "get_ipython", "exit", "quit", "open"})


def is_user_name(name: object) -> bool:
    """True for a name that a snapshot considers and ``list_names`` lists."""
    return isinstance(name, str) and not name.startswith("_") and name not in _NOT_USERS


def user_names(namespace: dict) -> list[str]:
    """The user's top-level names, sorted."""
    return sorted(name for name in list(namespace) if is_user_name(name))
