"""The model of a project: everything that the page shows, as one JSON value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.errors import HoldallError, ProblemsError
from holdall.objects.bag import BAG_MEMBER
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.testing.laws.cases import LAWS, whole_cases
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.reporting import explain
from holdall.testing.laws.running import Outcome, cells_of, check_kind
from holdall.testing.laws.subjects import Subject
from holdall.text.files import shown as as_text
from holdall.text.streams import find_inputs, read_inputs, require_documents, require_objects
from holdall.types import JsonObject, JsonValue, get
from holdall.version import VERSION
from holdall_codegen.breaking.gate import schema_differences
from holdall_codegen.breaking.reading import project_api, read_project_api
from holdall_codegen.explore.group_model import GroupModel
from holdall_codegen.explore.objects import Given, is_shown, object_value
from holdall_codegen.explore.sources import Sources
from holdall_codegen.output.compare import Difference, diff_project
from holdall_codegen.plan.serialize import plan_json
from holdall_codegen.project import Project
from holdall_codegen.views.hook_report import report_hooks
from holdall_codegen.views.stored_report import lines

FORMAT: Final = 1
SAMPLES: Final = "samples"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the page shows besides the plan.

    `objects` are files and folders, by default the folder `samples`, if it exists. Laws are checked
    on `examples` objects for each kind and version. `older` is the folder of the project at
    `revision`.
    """

    objects: tuple[Path, ...] = ()
    examples: int = 50
    seed: int = 0
    revision: str = ""
    older: Path | None = None


def project_model(project: Project, wanted: Wanted) -> JsonObject:
    """Return the model; docs/explore.md describes it.

    If the generated code cannot be used, the model says so in `missing`, and has neither objects
    nor results of laws. Raises SourceError for objects that cannot be read.
    """
    report = report_hooks(project)
    sources = Sources(project.root)
    groups: list[JsonValue] = [
        GroupModel(package, plan, project.config.group(package), report.points, sources).value()
        for package, plan in project.plans.items()
    ]
    given = list(_samples(project.root, wanted.objects))
    missing = stale(project)
    objects: list[JsonValue] = []
    laws: JsonValue = None
    if not missing:
        try:
            schemes = loaded_schemes(project.root)
            subjects = [Subject(scheme) for scheme in schemes.schemes]
            known = [item for item in given if is_shown(schemes, item.value)]
            objects = [object_value(schemes, item) for item in (*known, *_drawn(subjects))]
            laws = laws_value(subjects, wanted.examples, wanted.seed) if wanted.examples else None
        except HoldallError as error:
            missing = str(error)
    return {
        "format": FORMAT,
        "tool": VERSION,
        "project": name_of(project.root),
        "carriers": [SPEC_ANNOTATION, STATUS_ANNOTATION, BAG_MEMBER],
        "groups": groups,
        "objects": objects,
        "laws": laws,
        "changes": None
        if wanted.older is None
        else changes_value(project, wanted.older, wanted.revision),
        "problems": [str(problem) for problem in report.problems],
        "missing": missing,
    }


def cuts(model: JsonObject) -> list[str]:
    """Return the notes about kinds whose properties are not all in the model."""
    groups: Any = model["groups"]
    return [kind["cut"] for group in groups for kind in group["kinds"] if kind["cut"]]


def name_of(root: Path) -> str:
    """Return the name of a project's folder, which need not be valid Unicode."""
    return as_text(Path(root.resolve().name))


def stale(project: Project) -> str:
    """Return why the generated code does not match the plan; "" if it does."""
    for package, plan in project.plans.items():
        name = project.plan_file(package)
        try:
            text = (project.root / name).read_text(encoding="utf-8")
        except OSError:
            return f"{name} cannot be read; run `holdall generate`"
        if text != plan_json(plan):
            return f"{name} is out of date; run `holdall generate`"
    return ""


def loaded_schemes(root: Path) -> Schemes[Scheme]:
    """Return the schemes of a project with their hooks. Raises SchemeError or HookError."""
    schemes = Schemes(load_schemes(root))
    schemes.load()
    return schemes


def _samples(root: Path, paths: Sequence[Path]) -> Iterator[Given]:
    folder = root / SAMPLES
    streams = read_inputs(find_inputs(paths or ((folder,) if folder.is_dir() else ())))
    if paths:
        require_documents(streams)
    documents = (document for stream in streams for document in stream.documents)
    for document, pointer, value in require_objects(documents):
        line, _ = document.position(pointer)
        place = Path(document.file)
        shown = place.relative_to(root) if place.is_relative_to(root) else place
        yield Given(title_of(value), f"{as_text(shown)}:{line}", value)


def title_of(value: JsonObject) -> str:
    """Return kind and name of an object."""
    parts = value.get("kind"), get(value, "metadata", "name")
    return " ".join(str(part) for part in parts if part)


def _drawn(subjects: Sequence[Subject]) -> Iterator[Given]:
    """Yield an object with all properties of each kind, at its oldest and its newest version."""
    for subject in subjects:
        for kind in subject.kinds():
            served = subject.served(kind)
            for version in dict.fromkeys((*served[:1], *served[-1:])):
                case = next(whole_cases(subject, kind, version))
                yield Given(f"{kind} with everything", f"drawn at {version}", case.api)


# --- differences to an older state ----------------------------------------------------------------


def changes_value(project: Project, older: Path, revision: str) -> JsonObject:
    """Return the differences between a revision, whose project is in a folder, and the project.

    What differs in one property says `of` which: version, type and name. Raises SourceError if
    there is nothing to compare with.
    """
    found = diff_project(project, against=older / project.output, shown=revision)
    try:
        before = read_project_api(older)
    except ProblemsError as error:
        schemas = [f"cannot compare the schemas: {error.problems[0]}"]
    else:
        schemas = [str(item) for item in schema_differences(before, project_api(project))]
    groups: dict[str, JsonValue] = {
        package: [_difference(item) for item in items] for package, items in found.groups.items()
    }
    return {
        "revision": revision,
        "groups": groups,
        "schemas": [*schemas],
        "hooks": [str(note) for note in found.notes],
        "stored": [*lines(found.stored)],
    }


def _difference(item: Difference) -> JsonObject:
    value = item.value()
    if item.subject in ("property", "fate"):
        holder, _, name = item.where.partition(" ")
        version, _, type_ = holder.rpartition(".")
        value["of"] = [version, type_, name.rpartition(" (to ")[0] or name]
    return value


# --- laws -----------------------------------------------------------------------------------------


# L6 compares processes, and L11 needs many objects: both take too long for a page.
_CHECKED: Final = [law for law in LAWS if law not in ("L6", "L11")]


def laws_value(subjects: Sequence[Subject], examples: int, seed: int) -> JsonObject:
    """Check the laws on `examples` objects for each kind and version; return the results.

    `rows` have a line for each kind and pair of versions: the laws that were checked there, and
    those that were broken. `broken` explains the first finding of each kind and law.
    """
    outcome = Outcome()
    for subject in subjects:
        tools = Tools.of(subject)
        for kind in subject.kinds():
            for start in subject.versions(kind):
                # Without the fixed cases, which take long on wide types.
                seeds = range(seed, seed + examples)
                outcome.merge(check_kind(tools, kind, start, seeds, fixed="none"))
    rows: dict[tuple[str, str, str], list[JsonValue]] = defaultdict(list)
    failed: dict[tuple[str, str, str], list[JsonValue]] = defaultdict(list)
    first: dict[tuple[str, str], JsonValue] = {}
    for cell in cells_of(subjects, (), _CHECKED, None):
        law, kind, start, end = cell
        rows[kind, start, end].append(law)
        finding = outcome.findings.get(cell)
        if finding is None:
            continue
        failed[kind, start, end].append(law)
        if (kind, law) not in first:
            subject = next(item for item in subjects if kind in item.kinds())
            first[kind, law] = explain(Tools.of(subject), finding).to_json()
    return {
        "texts": {law: LAWS[law] for law in _CHECKED},
        "objects": outcome.objects,
        "seed": seed,
        "rows": [
            {
                "kind": kind,
                "from": start,
                "to": end,
                "checked": checked,
                "broken": failed[kind, start, end],
            }
            for (kind, start, end), checked in rows.items()
        ],
        "broken": [*first.values()],
    }
