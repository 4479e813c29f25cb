"""Protocol events as lines of JSON.

Text is sent as UTF-8, not as escapes. Lone surrogates have no UTF-8 form and strict JSON readers refuse their escapes, so
each becomes U+FFFD on the wire.
"""

from __future__ import annotations

from json.encoder import JSONEncoder, encode_basestring

_MAX_ASCII_TEXT = 16_384  # characters of one text event; a batch of 8 KiB must fit whole
_MAX_OTHER_TEXT = 4_096  # the same bound in bytes for four-byte characters

_RARE_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\n\r\t")

_encode = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def event_line(event: dict) -> str:
    """The line of one event, without its end. Raises TypeError or ValueError for data that JSON cannot carry."""
    return _encode(event)


def raw_text_frame(kind: str, text: str) -> bytes:
    """The bytes of a ``stdout`` or ``stderr`` event without an owner; its size is bounded by what a pump reads at once.

    ``text`` holds no lone surrogates. Escaped as bytes, which takes a quarter of the encoder's time: floods come this way.
    """
    raw = text.encode()
    if len(raw.translate(None, _RARE_CONTROLS)) != len(raw):
        raw = encode_basestring(text)[1:-1].encode()
    else:
        raw = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        raw = raw.replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t")
    return b'{"event":"%b","id":null,"text":"%b"}\n' % (kind.encode(), raw)


def text_lines(kind: str, ident: str | None, text: str) -> list[str]:
    """The lines of a ``stdout`` or ``stderr`` event; long text becomes several events of bounded size."""
    head = f'{{"event":"{kind}","id":{"null" if ident is None else encode_basestring(ident)},"text":'
    if len(text) <= _MAX_OTHER_TEXT or (len(text) <= _MAX_ASCII_TEXT and text.isascii()):
        return [head + encode_basestring(text) + "}"]
    step = _MAX_ASCII_TEXT if text.isascii() else _MAX_OTHER_TEXT
    return [head + encode_basestring(text[at : at + step]) + "}" for at in range(0, len(text), step)]


def to_wire(lines: list[str]) -> bytes:
    """Lines as the bytes that leave the process, each with its end."""
    joined = "".join([f"{line}\n" for line in lines])
    try:
        return joined.encode()
    except UnicodeEncodeError:
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def checked_data(data: object, caller: str) -> str:
    """The JSON of a user's dict, for a frame's ``data``.

    Raises TypeError or ValueError in the words of ``caller`` when it is not a dict or holds what JSON cannot carry.
    """
    if not isinstance(data, dict):
        raise TypeError(f"{caller} takes a dict, not {type(data).__name__}")
    try:
        return _encode(data)
    except TypeError as exc:
        problem: Exception = TypeError(f"{caller} takes JSON data: {exc}")
    except ValueError as exc:
        problem = ValueError(f"{caller} takes JSON data: {exc}")
    except RecursionError:
        problem = ValueError(f"{caller} takes JSON data: it is nested too deeply")
    raise problem


def data_line(event: str, ident: str | None, data_json: str) -> str:
    """The line of a ``display`` or ``host_request`` event whose data is already JSON."""
    return f'{{"event":"{event}","id":{"null" if ident is None else encode_basestring(ident)},"data":{data_json}}}'
