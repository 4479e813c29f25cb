"""Unit tests of serena_repl with a host that is a dict; run: python3 -m unittest discover -s serena_tests -t ."""
