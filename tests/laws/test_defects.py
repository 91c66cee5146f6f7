"""Defects that real hooks had, planted one at a time: each is caught, and the test says by what.

Those of `planted.py` are what people do to values.
"""

from __future__ import annotations

import random
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdall.errors import HookError
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.duties import check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.residue_shares import residue_shares
from holdall.testing.laws.running import Fixed, Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.laws.planted import HARMLESS, PLANTED, UNSEEN, Defect
from tests.support.notation import schema_text
from tests.support.projects import build_project, scheme_of

EXAMPLES, BATCH = 150, 15

CONFIG = """
groups:
  things:
    sources:
      - {{schemas: v1.yaml, version: v1, kinds: {{Thing: ""}}}}
      - {{schemas: v2.yaml, version: v2, kinds: {{Thing: ""}}}}
    versions: [v1, v2]
    between:
      v1 -> v2:
        ThingSpec: {{{between}}}
"""

HEAD = """
metadata: {"*": true}
spec:
  size: integer
  labels: {"*": string}
  host: string
  tags: [string]
"""

SCHEMAS = {
    "v1.yaml": schema_text(
        HEAD
        + """
  color: string
  mode: string
  link: string
  headers: {"*": string}
"""
    ),
    "v2.yaml": schema_text(
        HEAD
        + """
  shade: integer
  flag: boolean
  link: {id: string, name: string}
  headers: {"*": {value: string}}
  hostname: string
  customTags: [string]
"""
    ),
}

HOOK = """
from {generated}.things.v1 import storage as v1
from {generated}.things.v2 import storage as v2
from holdall import BagView, PropertyBag, claims


class Hooks(v1.AssignableThingSpec):
    @claims(reads={reads_to}, writes={writes_to})
    def assign_properties_to(
        self, source: v1.ThingSpec, destination: v2.ThingSpec, bag: BagView
    ) -> None:
{to}

    @claims(reads={reads_from}, writes={writes_from})
    def assign_properties_from(
        self, source: v2.ThingSpec, destination: v1.ThingSpec, bag: BagView
    ) -> None:
{back}
"""


@dataclass(frozen=True)
class Hook:
    """The two bodies of a hook, and the properties that it reads there and writes back."""

    to: str
    back: str = "return"
    older: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    between: str = ""

    def text(self) -> str:
        parts = {
            "reads_to": list(self.older),
            "writes_to": list(self.newer),
            "reads_from": [name for name in self.newer if not name.startswith("bag:")],
            "writes_from": [name for name in self.older if not name.startswith("bag:")],
            "to": textwrap.indent(textwrap.dedent(self.to).strip(), " " * 8),
            "back": textwrap.indent(textwrap.dedent(self.back).strip(), " " * 8),
        }
        text = HOOK
        for name, value in parts.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text


MODE = "mode: {rename: flag, strategy: hook}, link: {strategy: stash}, headers: {strategy: stash}"
LINK = "link: {strategy: hook}, headers: {strategy: stash}"
HEADERS = "headers: {strategy: hook}, link: {strategy: stash}"
PLAIN = "link: {strategy: stash}, headers: {strategy: stash}"

BROKEN: dict[str, tuple[Hook, set[str]]] = {
    "own bag overwritten by the source's": (
        # Refused wherever there is a bag already: those objects do not convert.
        Hook("destination.property_bag = source.property_bag", between=PLAIN),
        {"L5", "L9"},
    ),
    "nil becomes false": (
        Hook(
            'destination.flag = source.mode == "on"',
            'destination.mode = "on" if source.flag else "off"',
            ("mode",),
            ("flag",),
            MODE,
        ),
        {"L1", "L2"},
    ),
    "an empty map is left": (
        Hook(
            "destination.labels = dict(source.labels or {})",
            older=("labels",),
            newer=("labels",),
            between=PLAIN,
        ),
        {"L1"},
    ),
    "reference without id becomes empty": (
        Hook(
            "destination.link = v2.Link(id=source.link) if source.link else None",
            'destination.link = (source.link.id or "") if source.link is not None else None',
            ("link",),
            ("link",),
            LINK,
        ),
        {"L2"},
    ),
    "all values of a map become the last one": (
        Hook(
            """
            shared = v2.Header()
            if source.headers is not None:
                destination.headers = {}
                for name, value in source.headers.items():
                    shared.value = value
                    destination.headers[name] = shared
            """,
            """
            if source.headers is not None:
                destination.headers = {
                    name: header.value for name, header in source.headers.items() if header
                }
            """,
            ("headers",),
            ("headers",),
            HEADERS,
        ),
        {"L1"},
    ),
    "a property looks equal and is another one": (
        Hook(
            "destination.hostname = source.host",
            "destination.host = source.hostname",
            ("host",),
            ("hostname",),
            PLAIN,
        ),
        {"L2", "L4"},
    ),
    "a deprecated property is translated, and copied as well": (
        Hook(
            "destination.custom_tags = list(source.tags) if source.tags else None",
            older=("tags",),
            newer=("customTags",),
            between=PLAIN,
        ),
        {"L2"},
    ),
    "an object that its schema forbids gives a traceback": (
        Hook(
            "destination.hostname = source.host.upper()",
            older=("host",),
            newer=("hostname",),
            between=PLAIN,
        ),
        {"L5"},
    ),
    "a client's edit loses against what was kept": (
        Hook(
            "destination.host = source.host or destination.host",
            "destination.host = str(source.extra_.get('unknown') or source.host or '')",
            ("host",),
            ("host",),
            PLAIN,
        ),
        {"L4"},
    ),
    "members come in the order of a set": (
        Hook(
            "destination.tags = list({str(tag) for tag in source.tags or ()}) or None",
            older=("tags",),
            newer=("tags",),
            between=PLAIN,
        ),
        {"L1"},
    ),
}

REFUSED: dict[str, tuple[Hook, str]] = {
    "wrong keys removed": (
        Hook("return", older=("colour",), between=PLAIN),
        "HA342",
    ),
    "a kept value is never read back": (
        Hook(
            'bag.put("kept", source.color)',
            older=("color",),
            newer=("bag:kept",),
            between=PLAIN,
        ),
        "HA344",
    ),
}

INERT: dict[str, Hook] = {
    "source mutated": Hook("source.size = None", between=PLAIN),
    "value aliased from the source": Hook(
        "destination.tags = source.tags",
        "destination.tags = source.tags",
        ("tags",),
        ("tags",),
        PLAIN,
    ),
    "clone pruned but never stored": Hook(
        """
        pruned = dict(destination.property_bag or {})
        pruned.pop("v1", None)
        """,
        between=PLAIN,
    ),
    "empty bag left": Hook(
        "destination.property_bag = destination.property_bag or PropertyBag()", between=PLAIN
    ),
}


def build(hook: Hook, folder: Path) -> Scheme:
    files = {**SCHEMAS, "hooks/things.py": hook.text()}
    return scheme_of(build_project(folder, CONFIG.format(between=hook.between), files))


def failing(scheme: Scheme, wanted: set[str] | None = None) -> set[str]:
    """Return the laws that fail for some object; as soon as all wanted ones have, only these."""
    tools = Tools.of(Subject(scheme))
    outcome = Outcome()
    first = random.getrandbits(32)
    for seed in range(first, first + EXAMPLES, BATCH):
        for start in ("v1", "v2"):
            fixed: Fixed = "all" if seed == first else "none"
            outcome.merge(check_kind(tools, "Thing", start, range(seed, seed + BATCH), fixed=fixed))
        found = {law for law, *_ in outcome.findings}
        if wanted is not None and wanted <= found:
            break
    return found


@pytest.mark.parametrize("name", BROKEN)
def test_a_law_catches(name: str, tmp_path: Path) -> None:
    """The laws named are among those that fail."""
    hook, laws = BROKEN[name]
    assert failing(build(hook, tmp_path), laws) >= laws


@pytest.mark.parametrize("name", REFUSED)
def test_the_verification_refuses(name: str, tmp_path: Path) -> None:
    """Such a hook is never bound."""
    hook, code = REFUSED[name]
    with pytest.raises(HookError) as caught:
        build(hook, tmp_path).load()
    assert code in [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize("name", INERT)
def test_the_engine_makes_it_harmless(name: str, tmp_path: Path) -> None:
    """What such a hook does or forgets has no effect; L11 says that it is not needed."""
    scheme = build(INERT[name], tmp_path)
    assert failing(scheme) == set()
    (duty,) = check_duties(Subject(scheme), 50, 1)
    assert not duty.needed


def flagged(scheme: Scheme) -> set[str]:
    """Return HA707 if a hook of a project is flagged."""
    residues = residue_shares(Subject(scheme), 200, random.getrandbits(32))
    return {"HA707" for residue in residues if residue.is_suspicious}


def seen(defect: Defect, folder: Path) -> set[str]:
    """Return all that sees the defect of a project."""
    scheme = defect.plant(folder)
    return failing(scheme) | flagged(scheme)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_seen(name: str, tmp_path: Path) -> None:
    """What the documentation names sees it."""
    defect = PLANTED[name]
    scheme = defect.plant(tmp_path)
    is_law = defect.seen_by != "HA707"
    found = failing(scheme, {defect.seen_by}) if is_law else flagged(scheme)
    assert defect.seen_by in found


@pytest.mark.parametrize("name", UNSEEN)
def test_what_a_hook_says_both_ways_is_what_it_means(name: str, tmp_path: Path) -> None:
    """The documentation says that it is not seen."""
    assert seen(UNSEEN[name], tmp_path) == set()


@pytest.mark.parametrize("name", HARMLESS)
def test_what_the_engine_makes_harmless(name: str, tmp_path: Path) -> None:
    """No law breaks: the documentation says why."""
    assert seen(HARMLESS[name], tmp_path) == set()


# Planted in the runtime: test_tracked_client_laws.py shows that they are seen.
TRACKED = {
    "a tracked value stays in its place while its element moves": "L4",
    "tracked values stand where a server prunes them": "L12",
}


def test_the_documentation_lists_the_planted_defects(project_root: Path) -> None:
    """Each with what sees it."""
    lines = (project_root / "docs/laws.md").read_text().splitlines()
    listed = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in lines[lines.index("| planted defect | seen by |") + 2 :]
        if line.startswith("|")
    ]
    assert len(PLANTED) == 20
    assert listed == [
        *((name, defect.seen_by) for name, defect in PLANTED.items()),
        *TRACKED.items(),
        *((name, "no law") for name in UNSEEN),
        *((name, "no law: the engine makes copies") for name in HARMLESS),
    ]
