"""Prints what Python's codecs read and write, one JSON object a line: for each name given as an argument, or all aliases."""
import encodings.aliases
import json
import sys

CHARACTERS = [chr(c) for c in [*range(0xD800), *range(0xE000, 0x10000), *range(0x1F300, 0x1F400)]]


def is_wide(name):
    try:
        return len("丂中".encode(name, "ignore")) > 0
    except LookupError:
        return False


def reads(name):
    """Maps each byte, and each two bytes of which the first is no character, to the character that they are."""
    found = {}
    seconds = range(256) if is_wide(name) else ()
    for first in range(256):
        try:
            found[f"{first:02x}"] = bytes([first]).decode(name)
            continue
        except UnicodeDecodeError:
            pass
        for second in seconds:
            try:
                found[f"{first:02x}{second:02x}"] = bytes([first, second]).decode(name)
            except UnicodeDecodeError:
                pass
    return found


def writes(name):
    found = {}
    for character in CHARACTERS if is_wide(name) else CHARACTERS[:0x3000]:
        try:
            found[character] = character.encode(name).hex()
        except UnicodeEncodeError:
            pass
    return found


if len(sys.argv) == 1:
    json.dump(encodings.aliases.aliases, sys.stdout)
for name in sys.argv[1:]:
    print(json.dumps({"name": name, "reads": reads(name), "writes": writes(name)}))
