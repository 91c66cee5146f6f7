"""The forms of names, paths and pairs in `holdall.yaml`, and how values are written there."""

from __future__ import annotations

import json
import re
from keyword import kwlist
from typing import Final

from holdall.text import pointer
from holdall.types import JsonValue, is_json_object

_WORD: Final = rf"(?!(?:{'|'.join(kwlist)})(?![A-Za-z0-9_]))[A-Za-z_][A-Za-z0-9_]*"
_VERSION: Final = r"[A-Za-z0-9](?:[A-Za-z0-9_.+-]*[A-Za-z0-9])?"
_SEGMENT: Final = r"(?:[^~/]|~[01])+"

IDENTIFIER: Final = re.compile(_WORD)
FUNCTION: Final = re.compile(rf"{_WORD}(?:\.{_WORD})*:{_WORD}(?:\.{_WORD})*")
PACKAGE: Final = re.compile(rf"{_WORD}(?:\.{_WORD})*")
VERSION: Final = re.compile(_VERSION)
PAIR: Final = re.compile(rf"\s*({_VERSION})\s*->\s*({_VERSION})\s*")
MEMBER: Final = re.compile(r"[^/]+")
MEMBER_FORM: Final = "the name of a member at the top level of documents"
KIND: Final = re.compile(r"[^\s/*]+")
API_GROUP: Final = re.compile(r"[^\s/]*")
TYPE_PATTERN: Final = re.compile(r"[^\s/$][^\s/]*")
TYPE_NAME: Final = re.compile(r"[^\s/$*][^\s/*]*")
TYPE_PATH: Final = re.compile(r"[^\s/*]+(?:/[^/]+)+")
SCHEMA_PATH: Final = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*")
POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
PROPERTY: Final = re.compile(_SEGMENT)
PROPERTY_PATH: Final = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*")
KEYED: Final = re.compile(rf"(?!([^/]*)/\1(?![^/])){_SEGMENT}(?:/{_SEGMENT})?")
SOURCE_PATTERN: Final = re.compile(r"(?![A-Za-z]:)[^/\\][^\\]*")
PYTHON_FILE: Final = re.compile(r"(?![A-Za-z]:)(?!(?:.*/)?\.\./)[^/\\][^\\]*\.py")
OBJECT_PATH: Final = re.compile(r"/?[^/]+(?:/[^/]+)*")
JSON_PATH: Final = re.compile(r"\..+")
ANNOTATION: Final = re.compile(r"\S+")
HOLDER: Final = re.compile(r"(?:[^\s/*]+/){0,2}[^\s/*]+")
LABEL: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
SERVICE_PATH: Final = re.compile(r"/.*")
TEXT: Final = re.compile(r".*\S.*", re.DOTALL)
DATE: Final = re.compile(
    r"(?!0000)[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))"
)


VERSION_FORM: Final = (
    "a version name of letters and digits, with . _ + - between them, such as v1beta1"
)
KIND_FORM: Final = "the name of a kind, without spaces, / or *"


def split_path(text: str) -> tuple[str, ...]:
    """Split a path such as `activeKey/vaultName`: a JSON Pointer without its first slash."""
    return pointer.split(f"/{text}")


def join_path(path: tuple[str, ...]) -> str:
    """Spell a path as `split_path` reads it."""
    return pointer.join("", *path)[1:]


# --- as YAML --------------------------------------------------------------------------------------


_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: -> [A-Za-z0-9_./-]+)?")
_UNREADABLE: Final = re.compile("[\x7f-\x9f\ufffe\uffff]")
"""Characters that JSON allows unescaped, but YAML reads as line breaks or refuses."""
_NOT_PLAIN: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def yaml_scalar(text: str) -> str:
    """Return a string as YAML that every parser reads as a string."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _NOT_PLAIN:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNREADABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def flow(value: JsonValue) -> str:
    """Return a value on one line."""
    if is_json_object(value):
        members = (f"{yaml_scalar(key)}: {flow(item)}" for key, item in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return yaml_scalar(value) if isinstance(value, str) else json.dumps(value)
