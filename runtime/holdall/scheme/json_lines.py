"""The long-running filter: it reads a request and writes a reply per line.

Request: `{"to": "v2", "object": {...}}`. Reply: `{"object": {...}}` or `{"error": "..."}`, flushed.
`warnings`, beside the object, say what its carrier could not hold or give back.
"""

from __future__ import annotations

from typing import BinaryIO, Final

from holdall.carriers.reports import Report
from holdall.errors import DecodeError, HoldallError
from holdall.scheme.schemes import Schemes
from holdall.text import json as _json
from holdall.text.files import write_all
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

_FORM: Final = '{"to": ..., "object": {...}}'


def serve_lines(schemes: Schemes, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer every line until the input ends; no line stops the filter.

    Raises BrokenPipeError when the reader of the replies is gone.
    """
    for line in requests:
        write_all(replies, answer(schemes, line))


def answer(schemes: Schemes, line: bytes) -> bytes:
    """Return the reply to one line, with its line break."""
    try:
        return _json.encode(_converted(schemes, line)) + b"\n"
    except HoldallError as error:
        text = str(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is reported to the sender
        text = f"{type(error).__name__}: {error}; this is a bug in holdall"
    # A message may quote what UTF-8 cannot encode.
    return _json.encode({"error": text.encode(errors="backslashreplace").decode()}) + b"\n"


def _converted(schemes: Schemes, line: bytes) -> JsonObject:
    if line.isspace():
        raise DecodeError(f"the line is empty; expected {_FORM}")
    request = _json.decode_exactly(line.rstrip(b"\r\n"))
    if not is_json_object(request):
        raise DecodeError(f"expected {_FORM}, found {json_kind(request)}")
    to = _member(request, "to")
    if not isinstance(to, str):
        raise DecodeError(f"expected string, found {json_kind(to)}", "/to")
    losses: Report = []
    document = _member(request, "object")
    _json.check_depth([document])
    converted = schemes.convert(document, to=to, report=losses)
    if not losses:
        return {"object": converted}
    return {"object": converted, "warnings": [str(loss) for loss in losses]}


def _member(request: dict[str, JsonValue], name: str) -> JsonValue:
    if name not in request:
        raise DecodeError(f"the request has no {name!r}; expected {_FORM}")
    return request[name]
