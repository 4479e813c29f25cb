"""Answers what Python's re finds. Reads a JSON list of {pattern, flags, text}, writes one answer each, offsets in bytes."""

import json
import re
import signal
import sys
import warnings

warnings.simplefilter("ignore")


class Slow(Exception):
    pass


def too_slow(*_):
    raise Slow


def answer(case):
    """Gives up on a pattern that Python needs too long for."""
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        return find(case)
    except Slow:
        return {"slow": True}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


signal.signal(signal.SIGALRM, too_slow)


def find(case):
    flags = 0
    for letter in case["flags"]:
        flags |= {"i": re.I, "m": re.M, "s": re.S, "x": re.X, "a": re.A}[letter]
    try:
        compiled = re.compile(case["pattern"], flags)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        return {"error": str(error)}
    text = case["text"]
    byte = [0]
    for char in text:
        byte.append(byte[-1] + len(char.encode()))
    matches = []
    for match in compiled.finditer(text):
        spans = [match.span(group) for group in range(compiled.groups + 1)]
        matches.append([[-1, -1] if start < 0 else [byte[start], byte[end]] for start, end in spans])
    names = [""] * compiled.groups
    for name, number in compiled.groupindex.items():
        names[number - 1] = name
    return {"matches": matches, "names": names, "full": compiled.fullmatch(text) is not None}


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
