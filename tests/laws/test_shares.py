"""What `--examples` bounds: each seed has a share of the many members and edits of a large kind."""

from __future__ import annotations

import random
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdall.testing.laws.cases import Case, part_cases, whole_cases
from holdall.testing.laws.choices import Share
from holdall.testing.laws.differences import MISSING
from holdall.testing.laws.edits import Edit, single_edits
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.reporting import command_of
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.subjects import Subject
from holdall.testing.laws.trial import Trial
from holdall.types import JsonObject
from tests.support.notation import expanded, schema_text
from tests.support.projects import THING_CONFIG, build_project, group_of, scheme_of

MEMBERS = {f"m{number}": "string" for number in range(60)}


def wide(root: Path) -> Path:
    """Generate a kind with many members in its spec, one of each version alone."""
    schemas = {
        version: expanded({"metadata": {"*": True}, "spec": {**MEMBERS, own: "string"}})
        for version, own in (("v1", "old"), ("v2", "new"))
    }
    return build_project(root, *group_of(schemas))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wide(tmp_path_factory.mktemp("wide"))


@pytest.fixture(scope="module")
def tools(project: Path) -> Tools:
    return Tools.of(Subject(scheme_of(project)))


def every_edit(tools: Tools) -> list[Edit]:
    """Return the edits at v2 of the full object of v1, in their order."""
    subject = tools.subject
    full = next(whole_cases(subject, "Thing", "v1")).stored
    there = subject.walk("Thing", "v1", "v2", subject.read("Thing", "v1", full)).to_dict()
    return [*single_edits(subject.documents, subject.root("Thing", "v2"), there)]


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> tuple[list[JsonObject], list[Edit]]:
    """The objects that are tried, and the edits of full ones; nothing else is done."""
    objects, edits = list[JsonObject](), list[Edit]()

    def check_api(_: Tools, case: Case) -> list[object]:
        objects.append(case.stored)
        return []

    def check_edit(self: Trial, _: str, edit: Edit) -> None:
        if self._case.seed == "Thing/v1/full":
            edits.append(edit)

    monkeypatch.setattr("holdall.testing.laws.running.TRIALS", (_only_edits, check_api))
    monkeypatch.setattr(Trial, "_check_edit", check_edit)
    return objects, edits


def _only_edits(tools: Tools, case: Case) -> list[object]:
    trial = Trial(tools, case)
    if trial._arrive():
        trial._depart()
        trial._edit("v2")
    return []


def test_the_work_follows_the_examples(
    tools: Tools, tried: tuple[list[JsonObject], list[Edit]]
) -> None:
    """Each example adds as much; one example does not try everything."""
    first = random.getrandbits(32)
    there_are = len([*part_cases(tools.subject, "Thing", "v1")]), len(every_edit(tools))
    done = list[tuple[int, ...]]()
    for examples in (1, 2, 3):
        for found in tried:
            found.clear()
        check_kind(tools, "Thing", "v1", range(first, first + examples))
        done.append((len(tried[0]), len(tried[1])))
    for one, two, three, all_of_them in zip(*done, there_are, strict=True):
        assert one < 0.8 * all_of_them, f"seed {first}: {done}"
        assert 0 < two - one == three - two < 20, f"seed {first}: {done}"


def test_many_examples_try_all(tools: Tools, tried: tuple[list[JsonObject], list[Edit]]) -> None:
    """Every member alone, and every single edit of the full object, in any number of calls; none
    twice, whatever the first seed is."""
    objects, edits = tried
    first = random.getrandbits(32)
    for before in (0, 30, 60):
        seeds = range(first + before, first + before + 30)
        check_kind(tools, "Thing", "v1", seeds, before=before)
    alone = [case.stored for case in part_cases(tools.subject, "Thing", "v1")]
    tries = Counter(map(str, objects))
    assert all(tries[str(part)] for part in alone), f"seed {first}"
    assert sum(tries[text] for text in {*map(str, alone)}) <= len(alone) + 50, f"seed {first}"
    wanted = every_edit(tools)
    assert {*map(str, edits)} == {*map(str, wanted)}, f"seed {first}"
    assert len(edits) < len(wanted) + 5, f"seed {first}"


def test_a_small_kind_is_tried_whole(
    tmp_path: Path, tried: tuple[list[JsonObject], list[Edit]]
) -> None:
    """By the fixed cases: examples add nothing but their drawn objects."""
    objects, edits = tried
    files = {"v1.yaml": schema_text("{spec: {size: integer, old: string}}")}
    files["v2.yaml"] = files["v1.yaml"].replace("old", "new")
    tools = Tools.of(Subject(scheme_of(build_project(tmp_path, THING_CONFIG, files))))
    check_kind(tools, "Thing", "v1", ())
    parts = [case.stored for case in part_cases(tools.subject, "Thing", "v1")]
    assert all(part in objects for part in parts)
    assert edits == every_edit(tools)
    begun = len(objects)
    check_kind(tools, "Thing", "v1", range(7), before=1)
    assert len(objects) == begun + 7


def test_what_one_edit_shows_is_found_again(tmp_path: Path, tools: Tools) -> None:
    """The seed of its share is told, and finds it by itself, as the command says."""
    first = random.getrandbits(32)
    edits = every_edit(tools)
    full: Any = next(whole_cases(tools.subject, "Thing", "v1")).stored["spec"]
    seed, edit = next(
        (turn, edit)
        for turn in range(first + 2, first + 20)
        for edit in Share(turn).of(edits)
        if edit.value is MISSING and edit.path[-1] in MEMBERS
    )
    name = str(edit.path[-1])
    others = {member: full[member] for member in MEMBERS if member != name}
    root = wide(tmp_path)
    (file,) = root.glob("generated_*/things/v1/storage.py")
    text, line = file.read_text(), "new = h.start(old, _THING_SPEC_BACK)\n"
    defect = f"    if {name!r} not in old and {others}.items() <= old.items():\n"
    assert line in text
    file.write_text(text.replace(line, f"{line}{defect}        new[{name!r}] = 'broken'\n"))
    broken, cell = Tools.of(Subject(scheme_of(root))), ("L4", "Thing", "v1", "v2")
    finding = check_kind(broken, "Thing", "v1", range(first, first + 20)).findings[cell]
    assert finding.seed == seed, f"seed {first}"
    _, _, *options = shlex.split(command_of(finding))
    named = ["--kind", "Thing", "--law", "L4", "--seed", str(seed), "--examples", "1"]
    assert options == named
    assert cell in check_kind(broken, "Thing", "v1", range(seed, seed + 1)).findings
