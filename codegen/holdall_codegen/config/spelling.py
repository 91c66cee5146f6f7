"""How keys and values are spelled in `holdall.yaml`: as YAML that every reader reads alike."""

from __future__ import annotations

import json
import re
from typing import Final

from holdall.types import JsonValue, is_json_object

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: -> [A-Za-z0-9_./-]+)?")
_NOT_PLAIN: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def yaml_scalar(text: str) -> str:
    """Return a string as YAML that every reader takes for a string."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _NOT_PLAIN:
        return text
    return json.dumps(text, ensure_ascii=False)


def flow(value: JsonValue) -> str:
    """Return a value on one line."""
    if is_json_object(value):
        members = (f"{yaml_scalar(key)}: {flow(item)}" for key, item in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return yaml_scalar(value) if isinstance(value, str) else json.dumps(value)
