"""`holdall breaking` on projects: declarations, hooks, functions, carriers, stored objects."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from holdall.text.loading import load_file
from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.reading import read_api
from holdall_codegen.read import files
from tests.support.projects import config_of
from tests.support.schema_states import STRING, State

CONFIG = config_of(
    "Order",
    "v1 v2 v3",
    group="shop.example.com",
    more="""\
carrier: {Order: {in: annotation, budget: 4096, strict: [spec/lines]}}
between:
  v1 -> v2:
    OrderSpec:
      buyer: {rename: customer}
      mode: {values: {Fast: Quick}}
      amount: {upgrade_with: "conv:to_text", downgrade_with: "conv:to_number"}
      memo: {strategy: hook}
""",
)

_HEAD = "type: object\nproperties:\n  metadata: {type: object}\n  spec:\n    type: object\n"
_LINES = (
    "      lines: {type: array, items: "
    "{type: object, properties: {sku: {type: string}, count: {type: integer}}}}\n"
)

V1 = (
    _HEAD
    + """\
    properties:
      buyer: {type: string}
      mode: {type: string, enum: [Fast, Slow]}
      amount: {type: integer}
      memo: {type: string}
      note: {type: string}
"""
    + _LINES
)
V2 = (
    _HEAD
    + """\
    properties:
      customer: {type: string}
      mode: {type: string, enum: [Quick, Slow]}
      amount: {type: string}
      memo: {type: array, items: {type: string}}
"""
    + _LINES
)

CONV = '''\
"""Amounts."""


def to_text(value):
    """Return text."""
    return _shown(value)


def to_number(value):
    return int(value)


def _shown(value):
    return str(value)
'''

HOOK = '''\
from generated.shop.v1 import storage as v1
from generated.shop.v2 import storage as v2
from holdall import BagView, claims

from hooks.words import SEPARATOR


class Memos(v1.AssignableOrderSpec):
    """Memos are texts, then lists."""

    @claims(reads=["memo"], writes=["memo"])
    def assign_properties_to(
        self, source: v1.OrderSpec, destination: v2.OrderSpec, bag: BagView
    ) -> None:
        destination.memo = source.memo.split(SEPARATOR)

    @claims(reads=["memo"], writes=["memo"])
    def assign_properties_from(
        self, source: v2.OrderSpec, destination: v1.OrderSpec, bag: BagView
    ) -> None:
        destination.memo = SEPARATOR.join(source.memo)
'''

FILES = {
    "holdall.yaml": CONFIG,
    "v1.yaml": V1,
    "v2.yaml": V2,
    "v3.yaml": V2,
    "conv.py": CONV,
    "hooks/__init__.py": '"""Hooks."""\n',
    "hooks/memos.py": HOOK,
    "hooks/words.py": 'SEPARATOR = ","\nUNUSED = 1\n',
}

Edits = dict[str, tuple[str, str]]
"""By file, a text and what takes its place; a whole file goes with an empty text."""


def write(root: Path, edits: Edits | None = None) -> Path:
    texts = dict(FILES)
    for name, (old, new) in (edits or {}).items():
        assert old in texts[name]
        texts[name] = texts[name].replace(old, new) if old else new
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def found(tmp_path: Path, before: Edits, after: Edits) -> list[tuple[str, str, str, str]]:
    apis = [read_api(write(tmp_path / "a", before)), read_api(write(tmp_path / "b", after))]
    sifted = find_breaking(*apis, today=date(2030, 1, 1))
    return [(item.name, item.kind, item.version, item.path) for item in sifted.findings]


EDGE = "v1 -> v2"
BREAKING: dict[str, tuple[Edits, list[tuple[str, str, str, str]]]] = {
    "rename taken back": (
        {"holdall.yaml": ("          buyer: {rename: customer}\n", "")},
        [
            ("declaration-changed", "OrderSpec", EDGE, "buyer"),
            ("declaration-changed", "OrderSpec", EDGE, "customer"),
        ],
    ),
    "values": (
        {"holdall.yaml": ("values: {Fast: Quick}", "values: {Fast: Slow, Slow: Quick}")},
        [
            ("declaration-changed", "OrderSpec", EDGE, "mode"),
            ("stored-changed", "Order", "v1", "spec/mode"),
            ("stored-changed", "Order", "v1", "spec/mode"),
            ("stored-changed", "Order", "v2, v3", "spec/mode"),
        ],
    ),
    "another function": (
        {"holdall.yaml": ('"conv:to_text"', '"conv:_shown"')},
        [
            ("declaration-changed", "OrderSpec", EDGE, "amount"),
            ("stored-changed", "Order", "v1", "spec/amount"),
            ("stored-changed", "Order", "v1", "spec/amount"),
            ("stored-changed", "Order", "v2, v3", "spec/amount"),
        ],
    ),
    "a misfit": (
        {"holdall.yaml": ("{rename: customer}", "{rename: customer, misfit: error}")},
        [("declaration-changed", "OrderSpec", EDGE, "buyer")],
    ),
    "the code of a function": (
        {"conv.py": ("return str(value)", "return hex(value)")},
        [("function-changed", "OrderSpec", EDGE, "amount")],
    ),
    "the code of a hook": (
        {"hooks/memos.py": ("source.memo.split(SEPARATOR)", "[source.memo]")},
        [("hook-changed", "OrderSpec", EDGE, "")],
    ),
    "what a hook uses": (
        {"hooks/words.py": ('","', '";"')},
        [("hook-changed", "OrderSpec", EDGE, "")],
    ),
    "a hook's claims": (
        {
            "hooks/memos.py": (
                'reads=["memo"], writes=["memo"])\n    def assign_properties_to',
                'reads=["memo", "note"], writes=["memo"])\n    def assign_properties_to',
            )
        },
        [("hook-changed", "OrderSpec", EDGE, "")],
    ),
    "no hook": (
        {"hooks/memos.py": (HOOK, "")},
        [("hook-removed", "OrderSpec", EDGE, "")],
    ),
    "the edges": (
        {
            "holdall.yaml": (
                "    between:\n",
                "    edges: [[v1, v2], [v1, v3]]\n    between:\n      v1 -> v3: {OrderSpec: "
                "{buyer: customer, amount: {strategy: stash}, memo: {strategy: stash}}}\n",
            )
        },
        [
            ("route-changed", "", "v2 -> v3", ""),
            ("hook-removed", "OrderSpec", EDGE, ""),  # with two edges, protocols have other names
            ("stored-changed", "Order", "v1", "spec/mode"),
            ("stored-changed", "Order", "v3", "spec/mode"),
        ],
    ),
    "another carrier": (
        {"holdall.yaml": ("in: annotation", "in: field")},
        [("carrier-changed", "Order", "", "")],
    ),
    "a smaller budget": (
        {"holdall.yaml": ("budget: 4096", "budget: 2048")},
        [("carrier-changed", "Order", "", "")],
    ),
    "strict lists": (
        {"holdall.yaml": (", strict: [spec/lines]", "")},
        [("carrier-changed", "Order", "", "")],
    ),
    "a removed property": (
        {"v1.yaml": ("      note: {type: string}\n", "")},
        [
            ("property-removed", "Order", "v1", "spec/note"),
            ("stored-lost", "Order", "v1", "spec/note"),
        ],
    ),
    "another type": (
        {"v1.yaml": ("note: {type: string}", "note: {type: integer}")},
        [
            ("type-changed", "Order", "v1", "spec/note"),
            ("stored-changed", "Order", "v1", "spec/note"),
            ("stored-changed", "Order", "v2, v3", "spec/note"),
        ],
    ),
    "a member less in elements": (
        {"v1.yaml": (", count: {type: integer}", "")},
        [
            ("property-removed", "Order", "v1", "spec/lines/*/count"),
            ("stored-lost", "Order", "v1", "spec/lines/*/count"),
        ],
    ),
    "a version that is not served": (
        {
            "holdall.yaml": (
                "    carrier:",
                "    crd: {kinds: {Order: {unserved: [v1]}}}\n    carrier:",
            )
        },
        [("version-unserved", "Order", "v1", "")],
    ),
    "an internal version": (
        {"holdall.yaml": ("[v1, v2, v3]", "[{name: v1, internal: true}, v2, v3]")},
        [("version-removed", "Order", "v1", "")],
    ),
}

HARMLESS: dict[str, Edits] = {
    "another version is stored, which was served": {
        "holdall.yaml": ("    carrier:", "    crd: {kinds: {Order: {storage: v2}}}\n    carrier:")
    },
    "nothing": {},
    "an optional property": {
        "v1.yaml": ("      note:", "      fresh: {type: string}\n      note:")
    },
    "an optional property of the stored version": {
        "v3.yaml": ("      memo:", "      fresh: {type: string}\n      memo:")
    },
    "an optional member of elements": {
        "v2.yaml": (", count: {", ", size: {type: string}, count: {")
    },
    "what another version had": {
        "v2.yaml": ("      memo:", "      note: {type: string}\n      memo:")
    },
    "texts in code": {
        "hooks/memos.py": ('"""Memos are texts, then lists."""', '"""Memos."""  # lists'),
        "conv.py": ('"""Return text."""', '"""Text."""'),
    },
    "types in code": {
        "conv.py": ("def to_text(value):", "def to_text(value: int) -> str:"),
        "hooks/memos.py": ("bag: BagView\n    ) -> None:", 'bag: "BagView"\n    ) -> "None":'),
    },
    "code that nothing uses": {"hooks/words.py": ("UNUSED = 1", "UNUSED = 2")},
    "a larger budget": {"holdall.yaml": ("budget: 4096", "budget: 8192")},
    "a new version": {
        "holdall.yaml": (
            "    versions: [v1, v2, v3]",
            '      - {schemas: v3.yaml, version: v4, kinds: {Order: ""}}\n'
            "    versions: [v1, v2, v3, v4]\n    hub: v3",
        )
    },
    "a new property with a declaration": {
        "v1.yaml": ("      note:", "      from: {type: string}\n      note:"),
        "v2.yaml": ("      memo:", "      sender: {type: string}\n      memo:"),
        "holdall.yaml": ("          memo:", "          from: sender\n          memo:"),
    },
    "another name for the package": {
        "holdall.yaml": ("    api_group:", "    package: shop\n    api_group:")
    },
}


REFERRED = """\
type: object
properties:
  metadata: {type: object}
  spec: {allOf: [{$ref: "#/definitions/Node"}, {properties: {name: {maxLength: 9}}}]}
definitions:
  Node:
    type: object
    properties:
      name: {type: string}
      size: {$ref: "types.yaml#/Size"}
      inner: {type: array, items: {$ref: "#/definitions/Node"}}
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("types.yaml", "maximum: 5", "maximum: 4", ["range-narrowed spec/size"]),
        ("types.yaml", "maximum: 5", "maximum: 6", []),
        ("v1.yaml", "maxLength: 9", "maxLength: 8", ["length-narrowed spec/name"]),
        (
            "v1.yaml",
            "name: {type: string}",
            "name: {type: string, maxLength: 10}",
            ["length-narrowed spec/inner/*/name"],  # the outer one had a smaller limit
        ),
        (
            "v1.yaml",
            "name: {type: string}",
            "name: {type: string, enum: [a]}",
            ["enum-narrowed spec/inner/*/name", "enum-narrowed spec/name"],
        ),
        (
            "holdall.yaml",
            "free: {type: string}",
            "free: {type: string, pattern: x}",
            ["pattern-changed spec/free"],
        ),
    ],
)
def test_references_combinations_and_overlays(
    name: str, old: str, new: str, expected: list[str], tmp_path: Path
) -> None:
    """What applies to a place counts wherever it is stated; types may contain themselves."""
    texts = {
        "holdall.yaml": "groups:\n  a:\n    sources: "
        '[{schemas: v1.yaml, version: v1, kinds: {Tree: ""}}]\n    versions: [v1]\n'
        "    overlays: [{path: spec, properties: {free: {type: string}}}]\n",
        "v1.yaml": REFERRED,
        "types.yaml": "Size: {type: integer, maximum: 5}\n",
    }
    apis = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        for file, text in texts.items():
            (folder / file).write_text(text)
        apis.append(read_api(folder))
        texts[name] = texts[name].replace(old, new)
    found = find_breaking(*apis, today=date(2030, 1, 1)).findings
    assert [f"{item.name} {item.path}" for item in found] == expected


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_is_found(name: str, tmp_path: Path) -> None:
    """Each edit is found under its rules, and under no other."""
    edits, expected = BREAKING[name]
    assert found(tmp_path, {}, edits) == expected


HEADED = """\
groups:
  shop:
    version_at: {head}
    sources:
      - {{schemas: v1.yaml, version: v1, kinds: {{Order: ""}}}}
      - {{schemas: v2.yaml, version: v2, kinds: {{Order: ""}}}}
    versions: [v1, v2]
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("v", "v", []),
        ("v", "{member: v, default: v1}", []),
        ("v", "w", ["v1", "v2"]),
        ("v", "{member: v, values: {v2: 2}}", ["v2"]),
        ("v", "{member: v, kind_at: type}", ["v1", "v2"]),
        ("{member: v, default: v1}", "v", ["v1"]),
        ("{member: v, default: v1}", "{member: v, default: v2}", ["v1"]),
        ("", "v", ["v1", "v2"]),
        ("v", "", ["v1", "v2"]),
    ],
)
def test_what_documents_say(before: str, after: str, expected: list[str], tmp_path: Path) -> None:
    """Stored documents are known by what they say; to say it is never needed is harmless."""
    apis = []
    for folder, head in (("a", before), ("b", after)):
        (tmp_path / folder).mkdir()
        text = HEADED.format(head=head)
        if not head:
            text = "".join(line for line in text.splitlines(True) if "version_at" not in line)
        (tmp_path / folder / "holdall.yaml").write_text(text)
        for name in ("v1", "v2"):
            schema = "{type: object, properties: {id: {type: string}}}"
            (tmp_path / folder / f"{name}.yaml").write_text(schema)
        apis.append(read_api(tmp_path / folder))
    found = find_breaking(*apis, today=date(2030, 1, 1)).findings
    assert [(item.name, item.version) for item in found] == [
        ("head-changed", version) for version in expected
    ]


def test_own_documents_have_a_kind_property(tmp_path: Path) -> None:
    """`kind` and `apiVersion` are properties like others where nothing looks for them."""
    apis = []
    for folder, more in (("a", ", kind: {type: string}"), ("b", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "holdall.yaml").write_text(HEADED.format(head="v"))
        for name in ("v1", "v2"):
            schema = f"{{type: object, properties: {{id: {{type: string}}{more}}}}}"
            (tmp_path / folder / f"{name}.yaml").write_text(schema)
        apis.append(read_api(tmp_path / folder))
    found = find_breaking(*apis, today=date(2030, 1, 1)).findings
    assert [(item.name, item.path) for item in found] == [("property-removed", "kind")] * 2


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_is_not_found(name: str, tmp_path: Path) -> None:
    """What is new, or only text, breaks nobody."""
    assert found(tmp_path, {}, HARMLESS[name]) == []


PARTS = '''\
"""A hook of parts."""

from generated.shop.v1 import storage as v1
from holdall import Composed, TwoWay


class Texts(TwoWay):
    """Texts."""

    older = newer = ("memo",)

    def to_newer(self, older):
        """Return it."""
        return older

    def to_older(self, newer):
        """Return it."""
        return newer


class Memos(Composed, v1.AssignableOrderSpec):
    """Memos."""

    parts = (Texts(),)
'''

NO_HOOK: Edits = {"hooks/memos.py": (HOOK, "")}
NEW: Edits = {
    "v1.yaml": ("      note:", "      fresh: {type: string}\n      note:"),
    "v2.yaml": ("      memo:", "      fresh: {type: string}\n      memo:"),
    "hooks/memos.py": ('"memo"', '"fresh"'),
}


OLD_PARTS: Edits = {"hooks/memos.py": (HOOK, PARTS)}
NEW_PARTS: Edits = {**NEW, "hooks/memos.py": (HOOK, PARTS.replace("memo", "fresh"))}


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, ["hook-changed"]),
        (NEW, []),
        (NO_HOOK, []),
        (OLD_PARTS, ["hook-changed"]),
        (NEW_PARTS, []),
    ],
    ids=["of what was there", "of what is new", "none", "of parts", "of parts, what is new"],
)
def test_a_hook_where_none_was(edits: Edits, expected: list[str], tmp_path: Path) -> None:
    """A new hook counts by what it claims: what is new may be converted at will."""
    assert [name for name, *_ in found(tmp_path, NO_HOOK, edits)] == expected


def test_each_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans, schemas and CRDs of a state are made of the same documents."""
    read: list[str] = []

    def counted(path: Path, **options: Any) -> Any:
        read.append(path.name)
        return load_file(path, **options)

    monkeypatch.setattr(files, "load_file", counted)
    read_api(write(tmp_path))
    assert sorted(read) == ["v1.yaml", "v2.yaml", "v3.yaml"]


@pytest.mark.parametrize("fact", ["{strategy: stash}", "not_same"])
def test_a_declaration_over_a_gap(fact: str, tmp_path: Path) -> None:
    """What is declared of a property that skips a version is compared, too."""
    three = {
        "v3.yaml": ("      memo:", "      note: {type: array, items: {type: string}}\n      memo:")
    }
    config = "    between:\n      v1 -> v3: {OrderSpec: {note: %s}}\n"
    before, after = (
        {**three, "holdall.yaml": ("    between:\n", config % said)}
        for said in ("{wrap: true}", fact)
    )
    changed = ("declaration-changed", "OrderSpec", "v1 -> v3", "note")
    assert found(tmp_path, before, before) == []
    assert found(tmp_path / "other", before, after) == [changed]


def test_a_rename_of_a_name_with_a_slash_taken_back(tmp_path: Path) -> None:
    """The slash is no step of a path: both properties were there before, and are."""
    versions = {"v1": {"old/name": STRING}, "v2": {"new/name": STRING}}
    before = State(versions, between="v1 -> v2: {OrderSpec: {old~1name: new~1name}}")
    states = [before.write(tmp_path / "a"), State(versions).write(tmp_path / "b")]
    sifted = find_breaking(*map(read_api, states), today=date(2030, 1, 1))
    assert [item.path for item in sifted.findings if item.name == "declaration-changed"] == [
        "new~1name",
        "old~1name",
    ]


def test_a_name_with_a_slash(tmp_path: Path) -> None:
    """Each finding writes it as configuration does, those about schemas and stored objects, too."""
    before = State({"v1": {"a/b": STRING}, "v2": {}}).write(tmp_path / "a")
    after = State({"v1": {"c": STRING}, "v2": {}}).write(tmp_path / "b")
    sifted = find_breaking(*map(read_api, (before, after)), today=date(2030, 1, 1))
    assert {(item.name, item.path) for item in sifted.findings} == {
        ("property-removed", "spec/a~1b"),
        ("stored-lost", "spec/a~1b"),
    }
