"""The page: one HTML file that needs no network and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files
from typing import Final

from holdall.text import json
from holdall.types import JsonObject

_SCRIPTS: Final = (
    "base.js",
    "lanes.js",
    "details.js",
    "objects.js",
    "paste.js",
    "results.js",
    "main.js",
)
# Without `<` the model can neither end the script nor begin a comment.
_HIDDEN: Final[dict[str, str | int | None]] = {
    sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"
}


def page(model: JsonObject, *, live: bool = False) -> str:
    """Return the page of a model; a live page may send requests to its server."""
    style, script = _asset("explore.css"), "\n".join(_asset(name) for name in _SCRIPTS)
    data = json.encode({**model, "live": live}).decode().translate(str.maketrans(_HIDDEN))
    parts = {
        "policy": policy(style, script, live=live),
        "title": escape(f"{model['project']}: holdall explore"),
        "style": style,
        "script": script,
        "model": data,
    }
    # One pass: placeholders inside a part are never replaced.
    pieces = _asset("explore.html").split("{{")
    rest = [piece.partition("}}") for piece in pieces[1:]]
    return pieces[0] + "".join(f"{parts[name]}{text}" for name, _, text in rest)


def policy(style: str, script: str, *, live: bool) -> str:
    """Return the content security policy: this script, this style, and nothing else."""
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{_digest(script)}'",
        "style-src": f"'sha256-{_digest(style)}'",
        "img-src": "data:",
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("holdall_codegen.explore").joinpath("assets", name).read_text(encoding="utf-8")
