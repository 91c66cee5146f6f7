"""What happens to the CRDs of a folder: do they generate, and are converted objects valid?

    python -m tests.support.validity FOLDER [--list] [--seeds N]

Each kind is a project by itself: started, planned, planned again with all proposals declared.
Valid objects of every version are drawn as `holdall conform` draws them, converted to each
neighbouring version, and judged as an API server would. An object that is refused was predicted if
`holdall plan` lists the same demand at the same place. JSON lists of all figures are the last line.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from holdall.errors import ConversionError, PlanError, ProblemsError, SourceError
from holdall.kubernetes.conform.specimens import draw_objects
from holdall.kubernetes.conform.subjects import read_kinds
from holdall.kubernetes.conform.validity import NOT_JUDGED, defaulted, flaws, pruned
from holdall.types import JsonObject
from holdall_codegen.output.declaring import declare
from holdall_codegen.output.starter import start_config
from holdall_codegen.project import Project, plan_project, read_project
from holdall_codegen.refusals.finding import find_refusals, schemas_with_likes
from holdall_codegen.views.proposals import propose_all
from tests.support.projects import build_project

_RULES = (
    (r"lacks .*", {"required-added"}),
    (r".* is not one of .*", {"enum-narrowed"}),
    (r"\d+ is (less|more) than (min|max).*", {"length-narrowed"}),
    (r"(less|more) than .*", {"range-narrowed"}),
    (r"does not match .*", {"pattern-changed"}),
    (r"breaks the rule .*", {"rule-added"}),
    (r".* in (allOf|anyOf|oneOf) hold|is what `not` forbids", {"schema-changed"}),
    (r"(equal elements|elements with equal keys)", {"list-type-changed", "length-narrowed"}),
    (r"(no|beyond) \S+", {"format-changed", "range-narrowed"}),
    (r"no multiple of .*", {"schema-changed"}),
    (r"NoneType instead of .*", {"nullable-removed"}),
)


@dataclass
class Figures:
    """Counts over kinds, and over objects that were drawn, converted and judged."""

    kinds: int = 0
    unread: int = 0
    plain: int = 0
    declared: int = 0
    objects: int = 0
    failed: int = 0
    valid: int = 0
    predicted: int = 0
    partly: int = 0
    findings: int = 0
    seen: int = 0
    missed: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the figures as people read them."""
        known = self.kinds - self.unread
        yield f"{self.kinds} kinds with several versions, {self.unread} with schemas not supported"
        yield f"{self.plain} of {known} ({_share(self.plain, known)}) plan without configuration"
        yield f"{self.declared} of {known} ({_share(self.declared, known)}) after `plan --declare`"
        judged = self.objects - self.failed
        invalid = judged - self.valid
        yield f"{self.objects} valid objects converted over an edge, {self.failed} failed"
        yield f"{self.valid} of {judged} ({_share(self.valid, judged)}) come out valid"
        yield (
            f"{self.predicted} of {invalid} ({_share(self.predicted, invalid)}) invalid ones were"
            f" predicted in full, {self.partly} in part"
        )
        yield f"{self.seen} of {self.findings} predictions were met by a drawn object"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def measure(folder: Path, seeds: int = 1) -> Figures:
    """Return the figures of all kinds in the CRDs of a folder."""
    figures = Figures()
    for number, crd in enumerate(_crds(folder)):
        with tempfile.TemporaryDirectory() as name:
            _measure_kind(Path(name), crd, figures, seeds, number)
    return figures


def _crds(folder: Path) -> Iterator[JsonObject]:
    for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("*.yml"), *folder.rglob("*.json")]):
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            if not isinstance(document, dict):
                continue
            items = document["items"] if isinstance(document.get("items"), list) else [document]
            for item in items:
                is_crd = item.get("kind") == "CustomResourceDefinition"
                if is_crd and len(item["spec"].get("versions", [])) > 1:
                    yield item


def _measure_kind(root: Path, crd: JsonObject, figures: Figures, seeds: int, number: int) -> None:
    figures.kinds += 1
    crds = root / "crds"
    crds.mkdir()
    text = json.dumps(crd)
    (crds / "crd.json").write_text(text, "utf-8")
    config = root / "holdall.yaml"
    try:
        config.write_text(start_config(crds, root), "utf-8")
        reading = read_project(root)
    except (SourceError, ProblemsError):
        figures.unread += 1
        return
    try:
        project = plan_project(reading)
        figures.plain += 1
    except PlanError:
        project = None
    declared = _declare(root)
    if declared is None:
        return
    figures.declared += 1
    if project is not None:
        shutil.copy(config, root / "declared.yaml")
        config.write_text(start_config(crds, root), "utf-8")
    _judge(root, project or declared, figures, seeds)


def _declare(root: Path) -> Project | None:
    config = root / "holdall.yaml"
    before = config.read_bytes()
    reading = read_project(root)
    lines = {
        package: tuple(item for item in items if item.is_declarable)
        for package, items in propose_all(reading).items()
    }
    names = {group.package: group.name for group in reading.config.groups}
    declare(config, before, {names[package]: items for package, items in lines.items()})
    try:
        return plan_project(read_project(root))
    except PlanError as error:
        print(error, file=sys.stderr)
        return None


def _judge(root: Path, project: Project, figures: Figures, seeds: int) -> None:
    (group,) = project.config.groups
    plan = project.plans[group.package]
    found = find_refusals(plan, schemas_with_likes(group, project), {})
    figures.findings += len(found)
    expected = {
        (item.subject.way, place, item.rule): item for item in found for place in item.places
    }
    met = set()
    scheme = _scheme(root)
    (kind,) = read_kinds([root / "crds"], [])
    versions = {version.name: version for version in kind.versions}
    (planned,) = plan.kinds
    for pair in planned.edges:
        for start, end in (pair, pair[::-1]):
            for seed in range(seeds):
                for obj in draw_objects(kind, versions[start], seed).objects:
                    figures.objects += 1
                    try:
                        result = scheme.convert(_copy(obj), to=end)
                    except ConversionError:
                        figures.failed += 1
                        continue
                    schema = versions[end].schema
                    stored = defaulted(pruned(result, schema, resource=True), schema)
                    wrong = [flaw for flaw in flaws(stored, schema) if NOT_JUDGED not in flaw]
                    if not wrong:
                        figures.valid += 1
                        continue
                    hits = {
                        flaw: [
                            key
                            for key in expected
                            if key[0] == (start, end) and _matches(flaw, kind.name, key[1], key[2])
                        ]
                        for flaw in wrong
                    }
                    met |= {expected[key] for keys in hits.values() for key in keys}
                    missed = [flaw for flaw, keys in hits.items() if not keys]
                    figures.predicted += not missed
                    figures.partly += bool(missed) and len(missed) < len(wrong)
                    figures.missed += [f"{kind.name} {start} -> {end} {flaw}" for flaw in missed]
    figures.seen += len(met)


def _scheme(root: Path):
    config = (root / "holdall.yaml").read_text("utf-8")
    from holdall.scheme.projects import load_schemes

    build_project(root, config, {})
    (scheme,) = load_schemes(root)
    return scheme


def _copy(obj: JsonObject) -> JsonObject:
    return json.loads(json.dumps(obj))


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
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--list", action="store_true", help="what was refused and not predicted")
    parser.add_argument("--seeds", type=int, default=1, help="how often objects are drawn")
    given = parser.parse_args()
    for folder in given.folder:
        figures = measure(folder, given.seeds)
        print(folder.name)
        for line in figures.lines():
            print(f"  {line}")
        if given.list:
            for line in dict.fromkeys(figures.missed):
                print(f"  not predicted: {line}")


if __name__ == "__main__":
    main()
