"""The legal name that a wrong one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """``"; did you mean 'x'?"``, or nothing where no candidate is near."""
    from difflib import get_close_matches  # here, since only errors need it

    by_key = {_key(c): c for c in candidates}
    near = get_close_matches(_key(name), by_key, n=1, cutoff=0.6)
    return f"; did you mean {by_key[near[0]]!r}?" if near else ""


def _key(name: str) -> str:
    """Spelling without case and word marks, so that ``findSymbol`` is near ``find_symbol``."""
    return name.replace("_", "").replace("-", "").lower()
