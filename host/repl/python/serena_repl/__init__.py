"""What a cell knows as ``s``: the host's facades as Python objects.

The runtime (package ``rlm``) imports :mod:`serena_repl.bootstrap` at its start and calls its hooks; nothing here is imported
by the runtime otherwise, and nothing here speaks to the host but :mod:`serena_repl.bridge`.
"""
