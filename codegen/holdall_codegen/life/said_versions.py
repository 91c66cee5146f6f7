"""What documents say at a version that is added or retired, where that is not `apiVersion`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from holdall.errors import PlanError, Problem
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.text.streams import FORMS, read_documents
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.model import HeadConfig, SchemaSource
from holdall_codegen.life.files import VersionFiles
from holdall_codegen.output.yaml_edits import value_at

REFUSED: Final = "HA138"
_SCALAR: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s,\]}]+")
Renamed = Callable[[str], str]


def with_own_value(
    file: str, text: str, source: SchemaSource, head: HeadConfig | None, name: str, renamed: Renamed
) -> str:
    """Return a copied schema in which the member with the version has the new version's value.

    Raises PlanError if nobody can tell what that is.
    """
    if head is None:
        return text
    form = FORMS["." + file.rpartition(".")[2].lower()]
    (document, *_) = read_documents(text.encode(), file, form, scalars=source.yaml)
    for pointer in dict.fromkeys(source.kinds.values() or ("",)):
        place = join(f"{pointer}/properties", head.member)
        for end in ("/const", "/enum/0"):
            value = value_at(document.value, f"{place}{end}")
            if value is None or value_at(document.value, f"{place}/enum/1") is not None:
                continue
            new = next_value(value, source.version, name, renamed)
            if new is None:
                shown = _json.encode(value).decode()
                message = f"`{head.member}` is {shown} in {source.version}; what is it in {name}?"
                fix = f"copy the schema by hand, and list {name}"
                raise PlanError([Problem(REFUSED, document.where(f"{place}{end}"), message, fix)])
            text = _replaced(text, document.position(f"{place}{end}"), new)
    return text


def next_value(value: JsonValue, source: str, name: str, renamed: Renamed) -> JsonValue:
    """Return what a version says that begins as a copy of another one; None if nobody can tell:
    after 2 of v2 comes 3 of v3, and a text has the name or the number of its version."""
    digits, others = (re.sub(r"[^0-9]", "", text) for text in (source, name))
    if isinstance(value, str) and renamed(value) != value:
        return renamed(value)
    if str(value) != digits or not others:
        return None
    return others if isinstance(value, str) else int(others)


def forget_value(files: VersionFiles, name: str) -> None:
    """Remove what the configuration says about the documents of a version."""
    place = join(files.place, "version_at")
    said = files.config.value(place)
    if not is_json_object(said):
        return
    values = said.get("values")
    if is_json_object(values) and name in values:
        files.config.remove(join(f"{place}/values", name))
    if said.get("default") == name:
        files.config.remove(f"{place}/default")


def _replaced(text: str, position: tuple[int, int], value: JsonValue) -> str:
    """Return a text with another scalar at a line and column, both counted from 1."""
    lines = text.splitlines(keepends=True)
    line, column = position
    before, after = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
    lines[line - 1] = before + _SCALAR.sub(lambda _: _json.encode(value).decode(), after, count=1)
    return "".join(lines)
