"""Defects as people make them, in hooks and in generated code, and who sees each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdall.scheme.scheme import Scheme
from tests.support.crds import crd_of, struct
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, config_of, scheme_of

_SCHEMA = """
metadata: {"*": true}
spec: {size: integer, port: integer, ratio: number, host: string, label: string, tags: [string],
  labels: {"*": string}, parts: [%s], %s}
"""
_FILES = {
    "v1.yaml": schema_text(_SCHEMA % ("{host: string, secret: string}", "colour: string")),
    "v2.yaml": schema_text(_SCHEMA % ("{host: string}", "shade: integer")),
}

_HOOK = """
from unicodedata import normalize

from {{generated}}.things.v1 import storage as v1
from {{generated}}.things.v2 import storage as v2
from holdall import BagView, claims
from holdall.text.json import copy

{before}

class Hooks(v1.AssignableThingSpec):
    @claims(reads=["{name}"{keys_read}], writes=["{name}"{keys_written}])
    def assign_properties_to(
        self, source: v1.ThingSpec, destination: v2.ThingSpec, bag: BagView
    ) -> None:
        {to}

    @claims(reads=["{name}"{keys_written}], writes=["{name}"{keys_read}])
    def assign_properties_from(
        self, source: v2.ThingSpec, destination: v1.ThingSpec, bag: BagView
    ) -> None:
        {back}
"""

_TWO_WAY = """
from {{generated}}.things.v1 import storage as v1
from holdall import Composed, Members, TwoWay


class Names(TwoWay):
    older = newer = {names}

    def to_newer(self, older: Members) -> Members:
        {to}

    def to_older(self, newer: Members) -> Members:
        {back}


class Hooks(Composed, v1.AssignableThingSpec):
    parts = (Names(),)
"""


_TEXT = {"type": "string"}
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_LINKED = '{metadata: {"*": true}, spec: {size: integer, %s}}'
_GAP = (
    config_of("Thing", "v1 v2 v3", api_group="example.com"),
    {
        "v1.yaml": schema_text(_LINKED % "label: {text: string, old: string}"),
        "v2.yaml": schema_text(_LINKED % "host: string"),
        "v3.yaml": schema_text(_LINKED % "label: {text: string, new: string}"),
    },
)
"""A kind whose `label` is missing in the middle version: a skip link joins the others."""

_CRD = crd_of(
    "Thing",
    {
        version: struct(spec=struct(**{"box": box, own: _TEXT}))
        for version, box, own in (("v1", _OPEN, "old"), ("v2", {"type": "object"}, "new"))
    },
    stored="v1",
)
_PRUNING = (
    """
groups:
  things:
    api_group: example.com
    sources: [{crds: crd.json}]
    versions: [v1, v2]
""",
    {"crd.json": json.dumps(_CRD)},
)
"""A kind whose `box` is open JSON in one version, and an object without members in the other."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: a module of hooks, or a line of generated code exchanged for another one.

    `seen_by` is a law that breaks; HA707 is a two-way hook that always needs residue. `project` is
    a configuration with its files, `version` that of the generated storage module.
    """

    seen_by: str
    hook: str = ""
    line: tuple[str, str] = ("", "")
    project: tuple[str, Mapping[str, str]] = (THING_CONFIG, _FILES)
    version: str = "v1"

    def plant(self, root: Path) -> Scheme:
        """Build a project with the defect, and return its scheme."""
        hooks = {"hooks/things.py": self.hook} if self.hook else {}
        config, files = self.project
        project = build_project(root, config, {**files, **hooks})
        before, after = self.line
        if before:
            (file,) = project.glob(f"generated_*/things/{self.version}/storage.py")
            text = file.read_text()
            assert before in text, before
            file.write_text(text.replace(before, after))
        return scheme_of(project)


def _hook(name: str, to: str, back: str = "", *, before: str = "", key: str = "") -> str:
    """Return a hook of one property, which it copies back unless `back` says more."""
    attribute = f"destination.{name} = source.{name}"
    copied = f"destination.{name} = None if source.{name} is None else source.{name}.copy()"
    plain = copied if name in ("tags", "labels") else attribute
    return _HOOK.format(
        name=name,
        to=to,
        back=back or plain,
        before=before,
        keys_read="",
        keys_written=f', "bag:{key}"' if key else "",
    )


def _two_way(names: tuple[str, ...], to: str, back: str = "return newer") -> str:
    return _TWO_WAY.format(names=names, to=to, back=back)


PLANTED: Mapping[str, Defect] = {
    # In hooks.
    "the last element of a long list is dropped": Defect(
        "L1", _hook("tags", "destination.tags = None if source.tags is None else source.tags[:8]")
    ),
    "an integer goes through a float": Defect(
        "L1",
        _hook(
            "size",
            "destination.size = source.size if source.size is None else int(float(source.size))",
        ),
    ),
    "a text is normalised": Defect(
        "L1",
        _hook(
            "host",
            "destination.host = None if source.host is None else normalize('NFC', source.host)",
        ),
    ),
    "one value is wrong": Defect(
        "L1", _hook("port", "destination.port = 80 if source.port == 443 else source.port")
    ),
    "zero counts as absent": Defect("L1", _hook("size", "destination.size = source.size or None")),
    "a list is sorted": Defect(
        "L1",
        _hook(
            "tags",
            "destination.tags = None if source.tags is None else sorted(source.tags, key=str)",
        ),
    ),
    "equal elements are merged": Defect(
        "L1",
        _hook(
            "tags",
            "destination.tags = None if source.tags is None else list(dict.fromkeys(source.tags))",
        ),
    ),
    "keys are lower-cased": Defect(
        "L1",
        _hook(
            "labels",
            "found = source.labels\n"
            "        if found is not None:\n"
            "            found = {key.lower(): value for key, value in found.items()}\n"
            "        destination.labels = found",
        ),
    ),
    "blanks are stripped": Defect(
        "L1",
        _hook("host", "destination.host = None if source.host is None else source.host.strip()"),
    ),
    "a number is rounded": Defect(
        "L1",
        _hook(
            "ratio", "destination.ratio = None if source.ratio is None else round(source.ratio, 3)"
        ),
    ),
    "a default is invented": Defect(
        "L1", _hook("port", "destination.port = 80 if source.port is None else source.port")
    ),
    "the result depends on earlier calls": Defect(
        "L6",
        _hook(
            "port",
            "SEEN.append(source.port)\n"
            "        destination.port = source.port and source.port + len(SEEN)",
            before="SEEN = []",
        ),
    ),
    "hidden data returns by position": Defect(
        "L4",
        _HOOK.format(
            name="parts",
            before="",
            keys_read="",
            keys_written=', "bag:secrets"',
            to="""destination.parts = None
        if source.parts is not None:
            shown = [None if part is None else copy(part.to_dict()) for part in source.parts]
            kept = [{"secret": part.pop("secret")} if part and "secret" in part else {}
                    for part in shown]
            destination.parts = [
                None if part is None else v2.Part.from_dict(part) for part in shown
            ]
            if any(kept):
                bag.put("secrets", kept)""",
            back="""destination.parts = None
        if source.parts is not None:
            kept = bag.get("secrets") or []
            shown = [None if part is None else copy(part.to_dict()) for part in source.parts]
            for part, members in zip(shown, kept):
                if part is not None:
                    part.update(members)
            destination.parts = [
                None if part is None else v1.Part.from_dict(part) for part in shown
            ]""",
        ),
    ),
    "two members are swapped, and residue hides it": Defect(
        "HA707",
        _two_way(
            ("host", "label"),
            "return {'host label'.replace(old, '').strip(): older[old] for old in older}",
        ),
    ),
    "a value is invented, and residue hides it": Defect(
        "HA707", _two_way(("host",), 'return {"host": "unknown"} if older else {}')
    ),
    # In generated code.
    "two members of one type are swapped": Defect(
        "L0",
        line=(
            "new = h.start(old, _THING_SPEC_TO)\n",
            "new = h.start(old, _THING_SPEC_TO)\n"
            "    if 'label' in old:\n"
            "        new['host'] = old['label']\n",
        ),
    ),
    "a long map is cut": Defect(
        "L0",
        line=(
            "new = h.start(old, _THING_SPEC_TO)\n",
            "new = h.start(old, _THING_SPEC_TO)\n"
            "    if old.get('labels') is not None:\n"
            "        new['labels'] = dict([*old['labels'].items()][:5])\n",
        ),
    ),
    "the bag is ignored": Defect(
        "L1",
        line=(
            'h.pull(new, old, _PART_BACK, "secret")',
            "del new[h.BAG]",
        ),
    ),
    "a text is normalised over a skip link": Defect(
        "L0",
        line=(
            "return h.finish(_LABEL_TO, old, new, way)",
            "if type(old.get('text')) is str:\n"
            "        new['text'] = __import__('unicodedata').normalize('NFC', old['text'])\n"
            "    return h.finish(_LABEL_TO, old, new, way)",
        ),
        project=_GAP,
    ),
    "what a server prunes is in the document": Defect(
        "L12",
        line=(", pruned=True", ""),
        project=_PRUNING,
        version="v2",
    ),
}

UNSEEN: Mapping[str, Defect] = {
    "two members are swapped, there and back": Defect(
        "",
        _two_way(
            ("host", "label"),
            "return {'host label'.replace(old, '').strip(): older[old] for old in older}",
            "return {'host label'.replace(new, '').strip(): newer[new] for new in newer}",
        ),
    ),
}
"""What a hook says in both directions is what it means: nobody but its author can know better."""

HARMLESS: Mapping[str, Defect] = {
    "a cache is shared between calls": Defect(
        "",
        _hook(
            "tags",
            "tags = source.tags\n"
            "        if tags is not None:\n"
            "            tags = CACHE.setdefault(str(tags), tags.copy())\n"
            "        destination.tags = tags",
            before="CACHE = {}",
        ),
    ),
    "a list is aliased": Defect("", _hook("tags", "destination.tags = source.tags")),
}
"""What a hook gets of its source, and what it gives, are copies: so nothing is shared."""
