"""How right proposals are: precision and recall over the CRDs of a folder, by a table of the truth.

    python -m tests.support.proposals FOLDER TRUTH.yaml [--list]

A table says, for each pair of versions and the place of an object, which older path became which
newer path: {"v1 -> v2": {"Kind/spec/pools/*": {"size": "resources/size"}}}. One entry counts once
for all places that share a type. A proposal is right if it is in the table, or joins members of
objects that are.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from holdall.plan.plans import TypeRef
from holdall_codegen.config.reader import read_config
from holdall_codegen.model import Group, ListOf, MapOf, Ref, Type
from holdall_codegen.output.starter import start_config
from holdall_codegen.propose import Proposal, propose
from holdall_codegen.propose.model import declared
from holdall_codegen.propose.trial import Trial
from holdall_codegen.read import read_group

Truth = dict[str, dict[str, dict[str, str]]]
Fact = tuple[str, str]
"""The older and the newer path of a value, from its kind on."""
Property = tuple[TypeRef, str]


@dataclass
class Score:
    """What was proposed, and what should have been. A truth is one pair of properties."""

    right: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    moves: int = 0
    others: int = 0

    @property
    def precision(self) -> float:
        return len(self.right) / max(len(self.right) + len(self.wrong), 1)

    @property
    def recall(self) -> float:
        return len(self.found) / max(len(self.found) + len(self.missed), 1)

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.1%} ({len(self.right)} of"
            f" {len(self.right) + len(self.wrong)}, {self.moves} moves), recall {self.recall:.1%}"
            f" ({len(self.found)} of {len(self.found) + len(self.missed)}),"
            f" {self.others} other proposals"
        )


def measure(crds: Path, table: Path | None) -> Score:
    """Propose for all groups of a folder of CRDs, and compare with a table; None: nothing is."""
    truth = yaml.safe_load(table.read_text("utf-8")) if table is not None else {}
    score = Score()
    used: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(crds, root / "schemas")
        config = root / "holdall.yaml"
        config.write_text(start_config(root / "schemas", root), "utf-8")
        for group_config in read_config(config).groups:
            group = read_group(group_config, root)
            proposals = propose(group, group_config)
            for edge, places in truth.items():
                for place in places:
                    if place.split("/")[0] in _kinds(group, edge):
                        used.add((edge, place))
            lines = [item for item in proposals if item.is_declarable]
            trial = Trial(group, declared(group_config, lines))
            _compare(group, trial, proposals, truth, score)
    unknown = [
        f"{edge}: {place}" for edge in truth for place in truth[edge] if (edge, place) not in used
    ]
    if unknown:
        raise ValueError(f"no group has the kinds of {', '.join(unknown)}")
    return score


def _compare(
    group: Group,
    trial: Trial,
    proposals: tuple[Proposal, ...],
    truth: Truth,
    score: Score,
) -> None:
    proposed: dict[str, set[Fact]] = {}
    for item in proposals:
        if item.about in ("fix", "values"):
            score.others += 1
            continue
        edge = " -> ".join(item.edge)
        facts = set(_facts_of(group, trial, item))
        proposed.setdefault(edge, set()).update(facts)
        known = set(_truth_of(group, edge, truth.get(edge, {})))
        line = f"{edge}: {item.type}: {'/'.join(item.facts.path)} -> {'/'.join(item.target)}"
        is_right = any(
            _follows(fact, fact_) or _follows(fact_, fact) for fact in facts for fact_ in known
        )
        (score.right if is_right else score.wrong).append(f"{line} ({item.score:.2f})")
        score.moves += is_right and "/" in f"{'/'.join(item.facts.path)}{'/'.join(item.target)}"
    for edge, places in truth.items():
        units: dict[tuple[Property, Property], bool] = {}
        for fact in _truth_of(group, edge, places):
            unit = _properties(group, edge, fact)
            hit = any(_follows(fact, other) for other in proposed.get(edge, ()))
            units[unit] = units.get(unit, False) or hit
        for unit, hit in units.items():
            (one, name), (other, newer) = unit
            (score.found if hit else score.missed).append(f"{one}.{name} -> {other}.{newer}")


def _follows(fact: Fact, wider: Fact) -> bool:
    """Tell whether two paths are those of a wider fact, or of one member of its objects."""
    rests = [path.removeprefix(start) for path, start in zip(fact, wider, strict=True)]
    return rests[0] == rests[1] and all(
        path.startswith(start) and (not rest or rest.startswith("/"))
        for path, start, rest in zip(fact, wider, rests, strict=True)
    )


def _facts_of(group: Group, trial: Trial, item: Proposal) -> Iterator[Fact]:
    """Yield what a proposal says of each place; a line is about all partners of the older type."""
    older, newer = item.holders[0], item.target_holders[0]
    partners = {newer} | {
        edge[1] for edge in trial.matched if edge[0] == older and edge[1].version == newer.version
    }
    for before in group.version(older.version).types[older.name].paths:
        for partner in partners:
            for after in group.version(partner.version).types[partner.name].paths:
                yield "/".join((before, *item.facts.path)), "/".join((after, *item.target))


def _kinds(group: Group, edge: str) -> set[str]:
    names = {version.name for version in group.versions}
    older, newer = edge.split(" -> ")
    if not {older, newer} <= names:
        return set()
    return {kind.name for kind in group.version(older).kinds} & {
        kind.name for kind in group.version(newer).kinds
    }


def _truth_of(group: Group, edge: str, places: dict[str, dict[str, str]]) -> Iterator[Fact]:
    kinds = _kinds(group, edge)
    for place, entries in places.items():
        if place.split("/")[0] in kinds:
            for older, newer in entries.items():
                yield f"{place}/{older}", f"{place}/{newer}"


def _properties(group: Group, edge: str, fact: Fact) -> tuple[Property, Property]:
    older, newer = (
        _property(group, version, path)
        for version, path in zip(edge.split(" -> "), fact, strict=True)
    )
    return older, newer


def _property(group: Group, version: str, path: str) -> Property:
    """Return the type and the name of the property at a path. Raises ValueError for none."""
    kind, *names = path.split("/")
    types = group.version(version).types
    at = next(found.type_name for found in group.version(version).kinds if found.name == kind)
    holder, name, type_ = at, "", Ref(at)
    current: Type = type_
    for name in names:
        match current:
            case Ref():
                holder = current.type_name
                found_ = types[holder].property(name)
                if found_ is None:
                    raise ValueError(f"{version} has no {path}: {holder} has no {name}")
                current = found_.type
            case ListOf() if name == "*":
                current = current.item
            case MapOf() if name == "*":
                current = current.value
            case _:
                raise ValueError(f"{version} has no {path}")
    return TypeRef(version, holder), name


def main() -> None:
    parser = argparse.ArgumentParser(description="Precision and recall of proposals.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("truth", type=Path, nargs="?")
    parser.add_argument("--list", action="store_true", help="what is wrong, and what is missed")
    given = parser.parse_args()
    score = measure(given.folder, given.truth)
    print(score)
    if given.list:
        for title, lines in (("wrong", score.wrong), ("missed", score.missed)):
            for line in lines:
                print(f"  {title}: {line}")


if __name__ == "__main__":
    main()
