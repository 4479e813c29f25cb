"""A CPython REPL runtime that speaks newline-delimited JSON; started as ``python -m rlm.repl``.

Cells import their side of it from :mod:`rlm.repl`; every module with a leading underscore belongs to the runtime alone.
Nothing here imports a sibling, so that ``-m rlm.repl`` starts without a second copy of the public module.
"""
