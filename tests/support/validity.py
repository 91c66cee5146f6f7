"""What happens to the CRDs of a folder: do they generate, and are converted objects valid?

    python -m tests.support.validity FOLDER [--list] [--seeds N]

Each kind is a project by itself: started, planned, planned again with all proposals declared.
Valid objects of every version are drawn as `holdall conform` draws them, converted to each
neighbouring version, and judged as an API server would. An object that is refused was foretold if
`holdall plan` lists each demand that it breaks, at the same place.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path

import yaml

from holdall.errors import ConversionError, PlanError, ProblemsError
from holdall.kubernetes.conform.specimens import draw_objects
from holdall.kubernetes.conform.subjects import Kind, Version, read_kinds
from holdall.kubernetes.conform.validity import flaws, stored
from holdall.types import JsonObject
from holdall_codegen.commands.proposing import declare_refused
from holdall_codegen.output.declaring import declare
from holdall_codegen.output.starter import start_config
from holdall_codegen.project import Project, Reading, load_project, plan_project, read_project
from holdall_codegen.refusals.finding import find_refusals, schemas_with_likes
from holdall_codegen.views.proposals import propose_all
from tests.support.projects import new_packages, scheme_of, with_packages, write_generated

_RULES = (
    (r"lacks .*", {"required-added"}),
    (r".* is not one of .*", {"enum-narrowed"}),
    (r"\d+ is (less|more) than (min|max).*", {"length-narrowed"}),
    (r"(less|more) than .*", {"range-narrowed"}),
    (r"does not match .*", {"pattern-changed"}),
    (r"breaks the rule .*", {"rule-added"}),
    (r".* in (allOf|anyOf|oneOf) hold|is what `not` forbids", {"schema-changed"}),
    (r"has (equal elements|elements with equal keys)", {"list-type-changed", "length-narrowed"}),
    (r"(is not a valid|beyond) \S+", {"format-changed", "range-narrowed"}),
    (r"is not a multiple of .*", {"schema-changed"}),
    (r"null instead of .*", {"nullable-removed"}),
)


@dataclass
class Objects:
    """What happened to valid objects that were converted over an edge, and what was foretold."""

    drawn: int = 0
    failed: int = 0
    valid: int = 0
    predicted: int = 0
    findings: int = 0
    met: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def judged(self) -> int:
        return self.drawn - self.failed

    def add(self, other: Objects) -> None:
        """Count what happened to other objects, too."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def lines(self) -> Iterator[str]:
        """Yield the figures as people read them."""
        invalid = self.judged - self.valid
        yield f"{self.drawn} valid objects converted over an edge, {self.failed} failed"
        yield f"{self.valid} of {self.judged} ({_share(self.valid, self.judged)}) come out valid"
        share = _share(self.predicted, invalid)
        yield f"{self.predicted} of {invalid} invalid ones ({share}) foretold"
        share = _share(self.met, self.findings)
        yield f"{self.findings} findings, {self.met} ({share}) of them met by a drawn object"


@dataclass
class Figures:
    """Counts over kinds with several versions; objects as they are, and after `plan --declare`."""

    kinds: int = 0
    unread: int = 0
    plain: int = 0
    started: int = 0
    declared: int = 0
    as_is: Objects = field(default_factory=Objects)
    with_proposals: Objects = field(default_factory=Objects)

    def lines(self) -> Iterator[str]:
        """Yield the figures as people read them."""
        read = self.kinds - self.unread
        yield f"{self.kinds} kinds with several versions, {self.unread} with schemas not supported"
        yield f"{self.plain} of {read} ({_share(self.plain, read)}) plan without configuration"
        yield f"{self.started} of {read} ({_share(self.started, read)}) after `init`"
        yield f"{self.declared} of {read} ({_share(self.declared, read)}) after `plan --declare`"
        for title, objects in (
            ("without configuration", self.as_is),
            ("after `plan --declare`", self.with_proposals),
        ):
            yield f"{title}:"
            yield from (f"  {line}" for line in objects.lines())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def measure(folder: Path, seeds: int = 1) -> Figures:
    """Return the figures of all kinds in the CRDs of a folder."""
    figures = Figures()
    for crd in _crds(folder):
        with tempfile.TemporaryDirectory() as name:
            _measure_kind(Path(name), crd, figures, seeds)
    return figures


def _crds(folder: Path) -> Iterator[JsonObject]:
    for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("*.yml"), *folder.rglob("*.json")]):
        for document in yaml.load_all(path.read_text("utf-8"), yaml.CSafeLoader):
            if not isinstance(document, dict):
                continue
            items = document["items"] if isinstance(document.get("items"), list) else [document]
            for item in items:
                is_crd = item.get("kind") == "CustomResourceDefinition"
                if is_crd and len(item["spec"].get("versions", [])) > 1:
                    yield item


def _measure_kind(root: Path, crd: JsonObject, figures: Figures, seeds: int) -> None:
    figures.kinds += 1
    (root / "crds").mkdir()
    (root / "crds" / "crd.json").write_text(json.dumps(crd), "utf-8")
    (kind,) = read_kinds([root / "crds"], [])
    config = root / "holdall.yaml"
    as_is = start_config(root / "crds", root)
    config.write_text(as_is, "utf-8")
    try:
        reading = read_project(root)
    except ProblemsError:
        figures.unread += 1
        return
    _declare(config, reading)
    declared = config.read_text("utf-8")
    config.write_text(as_is, "utf-8")
    declare_refused(root)
    started = config.read_text("utf-8")

    @cache
    def judged(text: str) -> Objects | None:
        """Return what happens to objects with a configuration, None if it does not plan."""
        config.write_text(with_packages(text, *new_packages()), "utf-8")
        with suppress(PlanError):
            return _judge(plan_project(read_project(root)), kind, seeds)
        return None

    # Often nothing has to be declared, or nothing can be: then it is the same project once more.
    if (objects := judged(as_is)) is not None:
        figures.plain += 1
        figures.as_is.add(objects)
    if (objects := judged(declared)) is not None:
        figures.declared += 1
        figures.with_proposals.add(objects)
    if started in (as_is, declared):
        figures.started += judged(started) is not None
    else:
        config.write_text(started, "utf-8")
        with suppress(PlanError):
            load_project(root)
            figures.started += 1


def _declare(config: Path, reading: Reading) -> None:
    """Declare all proposals, as `holdall plan --declare` does."""
    names = {group.package: group.name for group in reading.config.groups}
    lines = {
        names[package]: tuple(item for item in items if item.is_declarable)
        for package, items in propose_all(reading).items()
    }
    declare(config, config.read_bytes(), lines)


def _judge(project: Project, kind: Kind, seeds: int) -> Objects:
    """Convert drawn objects of a project's only kind, and compare flaws with findings."""
    objects = Objects()
    (group,) = project.config.groups
    plan = project.plans[group.package]
    found = find_refusals(plan, schemas_with_likes(group, project), {})
    objects.findings += len(found)
    write_generated(project)
    scheme = scheme_of(project.root)
    versions = {version.name: version for version in kind.versions}
    met: set[int] = set()
    for pair in plan.kinds[0].edges:
        for start, end in (pair, pair[::-1]):
            foretold = [
                (number, place, item.rule)
                for number, item in enumerate(found)
                if item.subject.way == (start, end)
                for place in item.places
            ]
            schema = versions[end].schema
            for obj in _drawn(kind, versions[start], seeds):
                objects.drawn += 1
                try:
                    result = scheme.convert(json.loads(json.dumps(obj)), to=end)
                except ConversionError:
                    objects.failed += 1
                    continue
                wrong = [
                    str(flaw) for flaw in flaws(stored(result, schema), schema) if flaw.is_judged
                ]
                missed = []
                for flaw in wrong:
                    hits = {n for n, *said in foretold if _matches(flaw, kind.name, *said)}
                    met |= hits
                    if not hits:
                        missed.append(f"{kind.name} {start} -> {end} {flaw}")
                objects.valid += not wrong
                objects.predicted += bool(wrong) and not missed
                objects.missed += missed
    objects.met += len(met)
    return objects


def _drawn(kind: Kind, version: Version, seeds: int) -> Iterator[JsonObject]:
    for seed in range(seeds):
        yield from draw_objects(kind, version, seed).objects


def _matches(flaw: str, kind: str, place: str, rule: str) -> bool:
    pointer, _, what = flaw.partition(": ")
    steps = [kind, *pointer.strip("/").split("/")] if pointer != "/" else [kind]
    if what.startswith("lacks "):
        steps.append(what.removeprefix("lacks "))
    rules = next((rules for form, rules in _RULES if re.fullmatch(form, what, re.DOTALL)), set())
    wanted = place.split("/")
    same = len(wanted) == len(steps) and all(
        one in ("*", other) for one, other in zip(wanted, steps, strict=True)
    )
    return same and rule in rules


def main() -> None:
    parser = argparse.ArgumentParser(description="Are converted objects valid?")
    parser.add_argument("folder", type=Path, nargs="+", help="with CRDs")
    parser.add_argument("--list", action="store_true", help="what was refused and not foretold")
    parser.add_argument("--seeds", type=int, default=1, help="how often objects are drawn")
    given = parser.parse_args()
    for folder in given.folder:
        figures = measure(folder, given.seeds)
        print(folder.name)
        for line in figures.lines():
            print(f"  {line}")
        if given.list:
            for line in dict.fromkeys((*figures.as_is.missed, *figures.with_proposals.missed)):
                print(f"  not foretold: {line}")


if __name__ == "__main__":
    main()
