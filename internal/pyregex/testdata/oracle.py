"""Answers what Python's re finds. Reads a JSON list of {pattern, flags, text}, writes one answer each, offsets in bytes."""

import json
import re
import sys
import warnings

warnings.simplefilter("ignore")


def answer(case):
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
