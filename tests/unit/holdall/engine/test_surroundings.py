"""What hooks are given: settings of the project and facts of the object; refusals; completing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.bulk.documents import Documents
from holdall.errors import ConversionError, SchemeError, SourceError
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, scheme_of, written_hook
from tests.support.reviews import body_of, converted

Json = dict[str, Any]

_CONFIG = (
    f"settings: {{versions: versions.json}}\n{THING_CONFIG}"
    + """\
    between:
      v1 -> v2:
        ThingSpec: {owner: {strategy: hook}}
"""
)
_SCHEMA = """
metadata: {"*": true}
spec:
  owner: {%s: string, kind: string}
  from: {a: integer, %s: integer}
  into: {%s: integer}
"""
_HOOKS = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Completing, Composed, Members, RefusedError, TwoWay


class Owner(TwoWay):
    older = newer = ("owner",)
    given = ("settings:versions", "object:namespace")

    def to_newer(self, older: Members) -> Members:
        owner = older.get("owner")
        return {"owner": {"kind": owner["kind"]}} if owner else {}

    def to_older(self, newer: Members) -> Members:
        owner = newer.get("owner")
        if not owner:
            return {}
        if owner["kind"] not in newer["settings:versions"]:
            raise RefusedError("no version is known")
        place = newer.get("object:namespace", "nowhere")
        version = f"{place}/{newer['settings:versions'][owner['kind']]}"
        return {"owner": {"kind": owner["kind"], "version": version}}


class Wanders(Completing):
    older = newer = ("from", "into")

    def complete_newer(self, older: Members, newer: Members) -> Members:
        value = (older.get("from") or {}).get("old")
        if value is not None:
            newer.setdefault("into", {})["new"] = value
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        value = (newer.get("into") or {}).get("new")
        if value is not None:
            older.setdefault("from", {})["old"] = value
        return {name: one for name, one in older.items() if one}


class Hook(Composed, AssignableThingSpec):
    parts = (Owner(), Wanders())
"""
_FILES = {
    "v1.yaml": schema_text(_SCHEMA % ("version", "old", "other")),
    "v2.yaml": schema_text(_SCHEMA % ("group", "gone", "new")),
    "versions.json": '{"Node": "v1"}',
    "hooks/__init__.py": '"""Hooks."""\n',
    "hooks/things.py": _HOOKS,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a setting, and hooks that ask for it."""
    return build_project(tmp_path, _CONFIG, _FILES)


def thing(version: str, spec: Json, **metadata: str) -> Json:
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return {**head, "metadata": {**metadata}, "spec": spec}


def test_a_hook_gets_settings_and_the_namespace(root: Path) -> None:
    """The same members become others in another namespace, however often they come."""
    scheme = scheme_of(root)
    for namespace in ("a", "b", "a", "a", "b", "b"):
        found: Json = scheme.convert(
            thing("v2", {"owner": {"kind": "Node"}}, namespace=namespace), to="v1"
        )
        assert found["spec"] == {"owner": {"kind": "Node", "version": f"{namespace}/v1"}}
        assert scheme.convert(found, to="v2")["spec"] == {"owner": {"kind": "Node"}}
    bare: Json = scheme.convert(thing("v2", {"owner": {"kind": "Node"}}), to="v1")
    assert bare["spec"]["owner"]["version"] == "nowhere/v1"


def test_objects_that_go_together_have_each_their_own_namespace(root: Path) -> None:
    """In lines and in a review many objects are on their way at once."""
    scheme = scheme_of(root)
    names = [f"ns{number % 7}" for number in range(40)]
    things = [thing("v2", {"owner": {"kind": "Node"}}, namespace=name) for name in names]
    expected = [{"kind": "Node", "version": f"{name}/v1"} for name in names]
    rows = [(json.dumps(one).encode(), "", "") for one in things]
    found = [
        json.loads(one.document) for one in Documents(Schemes([scheme]), "v1").convert_all(rows)
    ]
    assert [one["spec"]["owner"] for one in found] == expected
    answered = converted(scheme.review(body_of(things, "example.com/v1")))
    assert [one["spec"]["owner"] for one in answered] == expected


def test_a_hook_may_change_what_it_gets(tmp_path: Path) -> None:
    """Settings are those of the project for each object, however deep a function reaches."""
    hook = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Composed, Members, TwoWay


class Owner(TwoWay):
    older = newer = ("owner",)
    given = ("settings:versions",)

    def to_newer(self, older: Members) -> Members:
        kinds = older["settings:versions"]["kinds"]
        kinds.append(older["owner"]["kind"])
        return {"owner": {"group": "/".join(kinds)}}

    def to_older(self, newer: Members) -> Members:
        return {}


class Hook(Composed, AssignableThingSpec):
    parts = (Owner(),)
"""
    files = {**_FILES, "versions.json": '{"kinds": []}', "hooks/things.py": hook}
    scheme = scheme_of(build_project(tmp_path, _CONFIG, files))
    for kind in ("Node", "Pod"):
        made: Json = scheme.convert(thing("v1", {"owner": {"kind": kind}}), to="v2")
        assert made["spec"]["owner"]["group"] == kind


def test_what_no_hook_asks_for_may_be_unreadable_in_metadata(root: Path) -> None:
    """Metadata of large documents is not decoded: that is the matter of its reader."""
    document = thing("v2", {"owner": {"kind": "Node"}}, namespace="a", note="x" * 600)
    text = json.dumps(document).replace('"note"', '"odd": 1e999, "note"')
    made = scheme_of(root).convert_bytes(text.encode(), to="v1")
    assert b'"odd": 1e999' in made and b'"version":"a/v1"' in made


def test_what_only_the_way_back_refuses_is_kept_as_a_whole(root: Path) -> None:
    """A RefusedError refuses a conversion; where only the way back fails, everything is residue."""
    scheme = scheme_of(root)
    with pytest.raises(ConversionError, match="no version is known"):
        scheme.convert(thing("v2", {"owner": {"kind": "Pod"}}), to="v1")
    document = thing("v1", {"owner": {"kind": "Pod", "version": "v7"}})
    newer: Json = scheme.convert(document, to="v2")
    assert newer["spec"] == {"owner": {"kind": "Pod"}}
    assert scheme.convert(newer, to="v1") == document
    newer["spec"] = {"owner": {"kind": "Job"}}
    with pytest.raises(ConversionError, match="no version is known"):
        scheme.convert(newer, to="v1")


def test_a_file_of_a_setting_is_read_when_objects_are_converted(root: Path) -> None:
    """Another file counts without generating anew; without the file nothing is converted."""
    (root / "versions.json").write_text('{"Pod": "v9"}', encoding="utf-8")
    found: Json = scheme_of(root).convert(thing("v2", {"owner": {"kind": "Pod"}}), to="v1")
    assert found["spec"]["owner"]["version"] == "nowhere/v9"


def test_without_the_file_it_is_named(root: Path) -> None:
    (root / "versions.json").unlink()
    with pytest.raises(SourceError, match=r"versions\.json"):
        scheme_of(root).convert(thing("v2", {}), to="v1")


def test_a_setting_that_the_project_lacks_is_named(root: Path) -> None:
    for path in root.rglob("things/__init__.py"):
        text = path.read_text(encoding="utf-8").replace('"versions": "', '"other": "')
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemeError, match="Hook needs the setting 'versions'"):
        scheme_of(root).load()


def test_a_value_goes_into_another_object(root: Path) -> None:
    """A completing hook makes the object where it is missing; nothing of the others is lost."""
    scheme: Scheme = scheme_of(root)
    document = thing("v1", {"from": {"a": 1, "old": 7}})
    newer: Json = scheme.convert(document, to="v2")
    assert newer["spec"] == {"from": {"a": 1}, "into": {"new": 7}}
    assert scheme.convert(newer, to="v1")["spec"] == document["spec"]
    newer["spec"]["into"]["new"] = 8
    assert scheme.convert(newer, to="v1")["spec"] == {"from": {"a": 1, "old": 8}}
    alone = thing("v2", {"into": {"new": 3}, "from": {"gone": 4}})
    older: Json = scheme.convert(alone, to="v1")
    assert older["spec"] == {"from": {"old": 3}}
    assert scheme.convert(older, to="v2")["spec"] == alone["spec"]


_COUNTING = written_hook(
    "COUNT.append(1)\ndestination.a = len(COUNT)",
    "destination.a = source.a",
    reads="a",
    writes="a",
    older="v1.From",
    newer="v2.From",
    code="COUNT: list[int] = []",
)


def test_what_a_hook_on_views_does_inside_is_not_remembered(tmp_path: Path) -> None:
    """It may look at anything, so the completing hook around it runs each time."""
    files = {**_FILES, "hooks/inner.py": _COUNTING}
    scheme = scheme_of(build_project(tmp_path, _CONFIG, files))
    document = thing("v1", {"from": {"a": 7, "old": 7}})
    seen = []
    for _ in range(5):
        newer: Json = scheme.convert(document, to="v2")
        seen.append(newer["spec"]["from"]["a"])
        older: Json = scheme.convert(newer, to="v1")
        assert older["spec"]["from"]["old"] == 7
    assert len(set(seen)) == 5
