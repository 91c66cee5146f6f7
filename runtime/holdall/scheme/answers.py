"""Conversions for another process to compare with its own.

`python -m holdall.scheme.answers` reads requests and writes a line for each. It imports little but
the packages that requests name.
"""

from __future__ import annotations

import sys
from typing import Any

from holdall.errors import HoldallError
from holdall.scheme.scheme import Scheme, scheme_of
from holdall.text import json as _json
from holdall.text.files import keep_for_results
from holdall.types import JsonValue


def answer(scheme: Scheme, document: JsonValue, to: str) -> str:
    """Return the text of a converted object, or its error."""
    try:
        return scheme.convert_bytes(_json.encode(document), to=to).decode()
    except HoldallError as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Answer requests on standard input: lines with a package, an object and a version."""
    results = keep_for_results()
    for line in sys.stdin.buffer:
        request: Any = _json.decode(line)
        package, document, to = request
        text = answer(scheme_of(package), document, to)
        results.write(_json.encode(text) + b"\n")


if __name__ == "__main__":
    main()
