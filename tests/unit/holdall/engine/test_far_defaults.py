"""Elements of a kept list are known again whatever a server fills in at a version further away."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.projects import build_project, scheme_of

CONFIG = """
groups:
  things:
    api_group: example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: ''}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: ''}}
      - {schemas: v3.yaml, version: v3, kinds: {Thing: ''}}
    versions: [v1, v2, v3]
    between:
      v1 -> v2: {ThingSpec: {items: {wrap: true}}}
      %s
"""
_SCHEMA = """
type: object
properties:
  metadata: {type: object, additionalProperties: true}
  spec: {type: object, properties: {items: {type: array, items: %s}}}
"""
_FILLED_IN: Mapping[str, tuple[str, str, str, dict[str, Any]]] = yaml.safe_load("""
the same member: ["mode: {type: string}", "mode: {type: string, default: rw}", "", {mode: rw}]
in the bag at v2: ["", "mode: {type: string, default: rw}", "", {mode: rw}]
renamed: ["was: {type: string}", "mode: {type: string, default: rw}",
  "v2 -> v3: {Item: {was: {rename: mode}}}", {mode: rw}]
converted: ["age: {type: string}", "age: {type: integer, default: 5}",
  "v2 -> v3: {Item: {age: {duration: seconds}}}", {age: 5}]
moved:
  - "mode: {type: string}"
  - "more: {type: object, default: {}, properties: {mode: {type: string, default: rw}}}"
  - "v2 -> v3: {Item: {mode: {move: more/mode}}}"
  - {more: {mode: rw}}
an object of its own:
  - ""
  - "more: {type: object, default: {}, properties: {mode: {type: string, default: rw}}}"
  - ""
  - {more: {mode: rw}}
""")
_EDITS: Mapping[str, Callable[[list[Any]], list[Any]]] = {
    "none": lambda items: items,
    "reorder": lambda items: [items[2], items[0], items[1]],
    "delete": lambda items: items[1:],
    "insert": lambda items: [items[2], {"host": "new"}, items[0], items[1]],
}


def items_of(member: str) -> str:
    comma = ", " if member else ""
    return f"{{type: object, properties: {{host: {{type: string}}{comma}{member}}}}}"


@pytest.mark.parametrize("way", _FILLED_IN)
@pytest.mark.parametrize("edit", _EDITS)
def test_what_a_server_fills_in_further_away_moves_nothing(
    way: str, edit: str, tmp_path: Path
) -> None:
    older, newer, facts, filled_in = _FILLED_IN[way]
    item = items_of(older)
    schemas = (f"{{type: array, items: {item}}}", item, items_of(newer))
    files = {f"v{at}.yaml": _SCHEMA % one for at, one in enumerate(schemas, 1)}
    scheme = scheme_of(build_project(tmp_path, CONFIG % facts, files))
    head = {"kind": "Thing", "metadata": {"name": "t"}}
    lists = [[{"host": name}, {"host": f"{name} hidden"}] for name in "abc"]
    document = {"apiVersion": "example.com/v1", **head, "spec": {"items": lists}}

    there: Any = copy.deepcopy(scheme.convert(document, to="v3"))
    shown = _EDITS[edit](there["spec"]["items"])
    there["spec"]["items"] = [{**item, **filled_in} for item in shown]
    back: Any = scheme.convert(there, to="v1")

    found = {one[0]["host"]: one[1:] for one in back["spec"]["items"]}
    names = [item["host"] for item in shown]
    assert found == {name: [] if name == "new" else [{"host": f"{name} hidden"}] for name in names}
