"""The conversion graph as text: API types, their storage twins, and what happens between them.

Hub, storage, unserved and deprecated versions differ by shape, border and words as well as colour,
so that a graph is complete in black and white.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from holdall.errors import HoldallError
from holdall.kubernetes.crds.access import versions_of
from holdall.plan.graph import closure
from holdall.plan.plans import TypeRef
from holdall.types import JsonValue
from holdall.words import counted
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedKind

_MERMAID = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "\n": " "})
GroupKinds = Sequence[tuple[GroupPlan, Sequence[PlannedKind]]]

NO_GRAPHVIZ: Final = (
    "--svg needs the program `dot` of Graphviz, which is not on PATH; install Graphviz, or"
    " draw the output of --format dot elsewhere"
)

_WORDS: Final[Mapping[str, str]] = {
    "renamed": "renamed",
    "moved": "moved",
    "converted": "converted",
    "claimed by a hook": "by hook",
    "stashed": "in the bag",
    "pulled": "in the bag",
}
_LOST: Final = "lost without a bag"


class GraphError(HoldallError):
    """A graph cannot be drawn."""

    code = "HA174"


@dataclass(frozen=True, slots=True)
class EdgeSummary:
    """What happens to the properties of a kind between two versions.

    `fates` counts what is not simply copied, each pair once; `hooks` are the edges of types with a
    hook. `lost` counts what has no place in the other version of a kind without a bag.
    """

    older: str
    newer: str
    fates: Mapping[str, int]
    hooks: int
    lost: int

    @property
    def lines(self) -> tuple[str, ...]:
        """The summary in words, a line for each count; one word if everything is copied."""
        counts = [f"{count} {word}" for word, count in self.fates.items()]
        if self.hooks:
            counts.append(counted(self.hooks, "hook"))
        if self.lost:
            counts.append(f"{self.lost} {_LOST}")
        return tuple(counts) or ("copied",)


def edge_summaries(
    plan: GroupPlan, kind: PlannedKind, hooked: frozenset[PlannedEdge]
) -> tuple[EdgeSummary, ...]:
    """Return a summary of each edge of a kind; `hooked` are the edges of types with a hook."""
    return tuple(_summary(plan, kind, older, newer, hooked) for older, newer in kind.edges)


def graph_value(groups: GroupKinds, hooked: frozenset[PlannedEdge]) -> list[JsonValue]:
    """Return the combs as JSON: per kind its versions, oldest first, and its edges."""
    return [
        {
            "group": plan.api_group or plan.name,
            "kind": kind.name,
            "hub": plan.hub if plan.hub in kind.types else "",
            "versions": [
                {
                    "version": marks.name,
                    "type": marks.type,
                    "internal": marks.internal,
                    "served": marks.served,
                    "storage": marks.storage,
                    "deprecated": marks.deprecated or None,
                }
                for marks in version_marks(plan, kind)
            ],
            "edges": [list(edge) for edge in kind.edges],
            "between": [asdict(item) for item in edge_summaries(plan, kind, hooked)],
        }
        for plan, kinds in groups
        for kind in kinds
    ]


def mermaid(groups: GroupKinds, hooked: frozenset[PlannedEdge]) -> str:
    """Return the combs as a Mermaid flowchart, one subgraph per kind."""
    lines = ["flowchart LR"]
    marked: dict[str, list[str]] = {"hub": [], "unserved": [], "deprecated": []}
    for number, plan, kind in _numbered(groups):
        lines.append(f"  subgraph k{number}[{_in_mermaid(_title(plan, kind))}]")
        ids = {}
        for place, marks in enumerate(version_marks(plan, kind)):
            ids[marks.name] = twin = f"k{number}s{place}"
            shape = ("{{", "}}") if marks.hub else ("(", ")")
            lines.append(f"    {twin}{shape[0]}{_in_mermaid(_twin(marks))}{shape[1]}")
            if marks.hub:
                marked["hub"].append(twin)
            if not marks.internal:
                api = f"k{number}a{place}"
                text = _in_mermaid(marks.name, *_words(marks))
                lines.append(f"    {api}[{text}] {'<-.->' if not marks.served else '<-->'} {twin}")
                for name, is_so in (
                    ("unserved", not marks.served),
                    ("deprecated", marks.deprecated),
                ):
                    if is_so:
                        marked[name].append(api)
        for item in edge_summaries(plan, kind, hooked):
            text = _in_mermaid(*item.lines)
            lines.append(f"    {ids[item.older]} <-->|{text}| {ids[item.newer]}")
        lines.append("  end")
    styles = {
        "hub": "stroke-width:3px",
        "unserved": "stroke-dasharray:2 3",
        "deprecated": "stroke-dasharray:6 4",
    }
    for name, ids_of in marked.items():
        if ids_of:
            lines.append(f"  classDef {name} {styles[name]}")
            lines.append(f"  class {','.join(ids_of)} {name}")
    return "\n".join(lines) + "\n"


def dot(groups: GroupKinds, hooked: frozenset[PlannedEdge]) -> str:
    """Return the combs as a Graphviz digraph, one cluster per kind."""
    lines = [
        "digraph holdall {",
        "  rankdir=LR;",
        '  graph [fontname="Helvetica", labeljust=l, nodesep=0.4, style=rounded, color="#8a96a5"];',
        '  node [fontname="Helvetica", fontsize=11];',
        '  edge [dir=both, fontname="Helvetica", fontsize=10];',
    ]
    for number, plan, kind in _numbered(groups):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(_title(plan, kind))};"]
        ids = {}
        for place, marks in enumerate(version_marks(plan, kind)):
            ids[marks.name] = twin = f"k{number}s{place}"
            style = (
                'shape=doubleoctagon, style=filled, fillcolor="#dbe7fb"'
                if marks.hub
                else "shape=ellipse"
            )
            lines.append(f"    {twin} [label={_quoted(_twin(marks))}, {style}];")
            if not marks.internal:
                text = _quoted("\n".join((marks.name, *_words(marks))))
                lines.append(f"    k{number}a{place} [label={text}, shape=box{_border(marks)}];")
                dotted = "" if marks.served else " [style=dotted]"
                lines.append(f"    k{number}a{place} -> {twin}{dotted};")
                lines.append(f"    {{rank=same; k{number}a{place}; {twin};}}")
        for item in edge_summaries(plan, kind, hooked):
            style = ', color="#b3261e", penwidth=2' if item.lost else ""
            text = _quoted("\n".join(item.lines))
            lines.append(f"    {ids[item.older]} -> {ids[item.newer]} [label={text}{style}];")
        lines.append("  }")
    lines.append("}")
    return "\n".join(lines) + "\n"


def svg(text: str) -> str:
    """Return the drawing of a Graphviz digraph. Raises GraphError without Graphviz."""
    program = shutil.which("dot")
    if program is None:
        raise GraphError(NO_GRAPHVIZ)
    done = subprocess.run(
        [program, "-Tsvg"],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise GraphError(f"Graphviz cannot draw the graph: {done.stderr.strip()}")
    return done.stdout


def _summary(
    plan: GroupPlan, kind: PlannedKind, older: str, newer: str, hooked: frozenset[PlannedEdge]
) -> EdgeSummary:
    counts: Counter[str] = Counter()
    edges = list(_edges_of(plan, kind, older, newer))
    for edge in edges:
        for decision in edge.decisions:
            # Both sides report a pair; the older one is counted.
            if decision.side == "older" or decision.fate in ("pulled", "claimed by a hook"):
                counts[_WORDS.get(decision.fate, "")] += 1
    del counts[""]
    lost = 0
    if kind.carrier == "none":
        lost = counts.pop("in the bag", 0)
    order = dict.fromkeys(_WORDS.values())
    fates = {word: counts[word] for word in order if counts[word]}
    return EdgeSummary(older, newer, fates, sum(edge in hooked for edge in edges), lost)


def _edges_of(plan: GroupPlan, kind: PlannedKind, older: str, newer: str) -> Iterator[PlannedEdge]:
    """Yield the edges between two versions of the types that a kind holds, each once."""
    roots = [TypeRef(version, kind.types[version]) for version in (older, newer)]
    held = {*closure(roots, plan.held)}
    for edge in plan.edges:
        is_between = (edge.older.version, edge.newer.version) == (older, newer)
        if is_between and {edge.older, edge.newer} <= held:
            yield edge


def _numbered(groups: GroupKinds) -> Iterator[tuple[int, GroupPlan, PlannedKind]]:
    pairs = [(plan, kind) for plan, kinds in groups for kind in kinds]
    for number, (plan, kind) in enumerate(pairs):
        yield number, plan, kind


def _twin(marks: VersionMarks) -> str:
    return f"storage {marks.name}" + (" (hub)" if marks.hub else "")


def _words(marks: VersionMarks) -> Iterator[str]:
    """Yield the labels of a version."""
    if marks.storage:
        yield "stored"
    if not marks.served:
        yield "not served"
    if marks.deprecated:
        yield "deprecated"


def _border(marks: VersionMarks) -> str:
    if not marks.served:
        return ", style=dotted"
    return ", style=dashed" if marks.deprecated else ", penwidth=2" if marks.storage else ""


def _title(plan: GroupPlan, kind: PlannedKind) -> str:
    return f"{kind.name} ({plan.group_of(kind.name) or plan.name})"


def _in_mermaid(*lines: str) -> str:
    """Return lines as a Mermaid text, with Mermaid's own escapes."""
    return '"{}"'.format("<br>".join(line.translate(_MERMAID) for line in lines))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# --- what a version is to the users of an API -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class VersionMarks:
    """The marks of one version of a kind; `deprecated` is a note, empty for a version in use."""

    name: str
    type: str
    internal: bool
    served: bool
    storage: bool
    hub: bool
    deprecated: str


def version_marks(plan: GroupPlan, kind: PlannedKind) -> tuple[VersionMarks, ...]:
    """Return the versions of a kind, oldest first.

    What holdall.yaml declares about the CRD overrides what the CRD itself says.
    """
    config = plan.crd.kind(kind.name)
    crd = plan.crds.get(kind.name)
    read = {str(entry.get("name")): entry for _, entry in versions_of(crd)}
    versions = [version for version in plan.versions if version.name in kind.types]
    served = [version.name for version in versions if not version.internal]
    marked = [name for name in served if read.get(name, {}).get("storage") is True]
    newest = plan.hub if plan.hub in served else served[-1] if served else ""
    stored = config.storage or next(iter(marked), newest)
    found = []
    for version in versions:
        name = version.name
        entry = read.get(name, {})
        is_served = (
            entry.get("served", True) is not False
            if config.unserved is None
            else name not in config.unserved
        )
        is_deprecated = name in (config.deprecated or ()) or entry.get("deprecated") is True
        found.append(
            VersionMarks(
                name=name,
                type=kind.types[name],
                internal=version.internal,
                served=is_served and not version.internal,
                storage=name == stored,
                hub=name == plan.hub,
                deprecated=version.deprecated or ("deprecated" if is_deprecated else ""),
            )
        )
    return tuple(found)
