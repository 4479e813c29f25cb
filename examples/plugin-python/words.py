"""A facade in Python: the words of the project's text files."""

from __future__ import annotations

import collections
import os
import re

from serena_plugin import Call, Failure, serve

STR, INT = {"name": "str"}, {"name": "int"}

MANIFEST = {
    "manifest_version": 1,
    "sdk": "1.0",
    "protocols": [1],
    "name": "words",
    "version": "0.1.0",
    "facades": [
        {
            "name": "words",
            "summary": "the words of text files",
            "owner": True,
            "optional": False,
            "methods": [
                {
                    "name": "count",
                    "summary": "Counts the words of a file.",
                    "doc": "Words are runs of letters; case counts. The most frequent come first, equals in the order of the alphabet.",
                    "params": [
                        {"name": "relative_path", "type": STR, "doc": "the file, relative to the project root"},
                        {"name": "top", "type": INT, "default": 10, "doc": "how many words to list"},
                    ],
                    "result": {"name": "WordCount"},
                    "optional": False,
                    "beta": False,
                    "can_edit": False,
                    "niche": False,
                    "uses_project_server": False,
                },
                {
                    "name": "capitalize",
                    "summary": "Writes a word with a capital letter wherever it stands in a file.",
                    "doc": "All other bytes stay as they are. Returns how many were changed.",
                    "params": [{"name": "relative_path", "type": STR}, {"name": "word", "type": STR, "doc": "ASCII letters"}],
                    "result": INT,
                    "optional": False,
                    "beta": False,
                    "can_edit": True,
                    "niche": False,
                    "uses_project_server": False,
                },
            ],
        }
    ],
    "types": [
        {
            "name": "WordCount",
            "kind": "record",
            "doc": "How often words stand in a file.",
            "members": [
                {"name": "total", "type": INT, "doc": "of all words"},
                {"name": "common", "type": {"name": "dict", "args": [INT]}, "doc": "the most frequent words"},
            ],
        }
    ],
}


def count(call: Call, relative_path: str, top: int) -> dict:
    text = "\n".join(call.facade("fs", "read_file", relative_path=relative_path)["lines"])
    words = collections.Counter(re.findall(r"[^\W\d_]+", text))
    common = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:top]
    return {"total": words.total(), "common": dict(common)}


def capitalize(call: Call, relative_path: str, word: str) -> int:
    if not re.fullmatch("[A-Za-z]+", word):
        raise Failure("ValueError", f"words.capitalize: word must be ASCII letters, not {word!r}")
    path = os.path.realpath(os.path.join(call.project.root, relative_path))
    if os.path.commonpath([path, call.project.root]) != call.project.root:
        raise Failure("PermissionError", f"words.capitalize: {relative_path} is outside the project")
    try:
        with open(path, "rb") as file:
            before = file.read()
    except OSError as e:
        raise Failure(type(e).__name__, f"words.capitalize: {relative_path} cannot be read: {e.strerror}") from e
    places = [m.start() for m in re.finditer(rb"\b" + word.lower().encode() + rb"\b", before)]
    if places:
        call.edit(relative_path, before, [(p, p + 1, before[p : p + 1].upper()) for p in places])
    return len(places)


if __name__ == "__main__":
    serve(MANIFEST, {"words.count": count, "words.capitalize": capitalize})
