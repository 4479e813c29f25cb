"""Answers [needle, replacement, text] by what re.sub gives, one JSON list on each line; null for a pattern that Python refuses."""
import json
import re
import sys

REFERENCE = re.compile(r"\$!([0-9]+)")

for line in sys.stdin:
    needle, replacement, text = json.loads(line)
    try:
        pattern = re.compile(needle, re.DOTALL | re.MULTILINE)
    except re.error:
        print("null")
        continue
    filled = lambda match: REFERENCE.sub(lambda reference: match[int(reference[1])] or "", replacement)
    try:
        print(json.dumps(pattern.subn(filled, text)))
    except IndexError:
        print('"no such group"')
