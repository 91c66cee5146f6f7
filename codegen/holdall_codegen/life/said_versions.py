"""What documents say at a version that is added or retired, where that is not `apiVersion`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from holdall.errors import PlanError, Problem
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.model import HeadConfig, SchemaSource
from holdall_codegen.life.files import VersionFiles
from holdall_codegen.output.yaml_edits import YamlText

REFUSED: Final = "HA138"
Renamed = Callable[[str], str]


def with_own_value(
    file: str, text: str, source: SchemaSource, head: HeadConfig | None, name: str, renamed: Renamed
) -> str:
    """Return a copied schema in which the member with the version has the new version's value.

    Raises PlanError if nobody can tell what that is.
    """
    if head is None:
        return text
    edited = YamlText(text, file, source.yaml)
    for pointer in dict.fromkeys(source.kinds.values() or ("",)):
        place = join(f"{pointer}/properties", head.member)
        for end in ("/const", "/enum/0"):
            value = edited.value(f"{place}{end}")
            if value is None or edited.value(f"{place}/enum/1") is not None:
                continue
            new = next_value(value, source.version, name, renamed)
            if new is None:
                where = edited.documents[0].where(f"{place}{end}")
                raise _unknown(where, head, value, source.version, name)
            edited.replace(f"{place}{end}", new)
    return edited.text


def add_value(
    files: VersionFiles, head: HeadConfig | None, source: str, name: str, renamed: Renamed
) -> None:
    """Say the value of a new version in the configuration if it says that of the copied one.

    Raises PlanError if nobody can tell what that is.
    """
    if head is None or source not in head.values:
        return
    new = next_value(head.values[source], source, name, renamed)
    if new is None:
        raise _unknown(str(head.location), head, head.values[source], source, name)
    files.config.set(join(files.place, "version_at", "values"), name, new)


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


def _unknown(where: str, head: HeadConfig, value: JsonValue, source: str, name: str) -> PlanError:
    shown = _json.encode(value).decode()
    message = f"`{head.member}` is {shown} in {source}; what is it in {name}?"
    fix = f"copy the schema by hand, and list {name}"
    return PlanError([Problem(REFUSED, where, message, fix)])
