"""The laws are not blind: they notice each kind of change to a line of a converter or of a hook."""

from __future__ import annotations

import random
import shutil
import textwrap
from pathlib import Path

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from holdall.cli import main
from holdall.testing.laws.mutant_runs import Trial, find_trials, try_all
from holdall.testing.laws.mutating import mutants_of_hooks, mutants_of_storage
from holdall.testing.laws.subjects import Subject
from holdall.text.json import decode
from tests.support.projects import build_project

CONVERTER = """
class Spec(h.StorageObject, version="v1"):
    size: h.Member[int] = h.Member("size")

def _spec_to(old, way):
    "The same in both: size."
    new = h.start(old, _SPEC_TO)
    if "color" in new:
        h.stash(new, "v1", "color")
    if "tags" in old:
        new["labels"] = new.pop("tags")
    if h.BAG in old:
        h.pull(new, old, _SPEC_TO, "shade")
    return h.finish(_SPEC_TO, old, new, way)

_SPEC_TO, _SPEC_BACK = SCHEME.edge(AssignableSpec, Spec, v2.Spec)
"""

HOOK = '''
def turn(value):
    """Turn a value."""
    if value is None:
        return
    for item in value:
        use(item)
    return value
'''


def test_the_mutants_of_a_converter() -> None:
    """Each assignment, copy, bag key, bag and hook is broken."""
    found = {
        (mutant.line, mutant.what)
        for mutant in mutants_of_storage("x.py", CONVERTER, {"_SPEC_TO": frozenset()}, {})
    }
    assert found == {
        (7, "an integer goes through a float"),
        (7, "a rare value is lost"),
        (9, "a line is missing"),
        (9, "a bag origin is wrong"),
        (11, "an assignment is missing"),
        (13, "a line is missing"),
        (13, "a bag key is wrong"),
        (14, "the bag is lost"),
        (14, "a hook is not run"),
    }


def test_a_hook_that_is_not_there_is_not_left_out() -> None:
    """Not to run what does not exist is no change."""
    found = [mutant.what for mutant in mutants_of_storage("x.py", CONVERTER, {}, {})]
    assert "a hook is not run" not in found


def test_bag_keys_of_claimed_properties_are_left_alone() -> None:
    """What generated code stashes of them leaves the bag by itself: to break it is no change."""
    hooked = {"_SPEC_TO": frozenset({"color"})}
    found = [mutant.line for mutant in mutants_of_storage("x.py", CONVERTER, hooked, {})]
    assert 9 not in found


@pytest.mark.parametrize("how", ["moved", "claimed"])
def test_what_a_move_or_a_hook_takes_is_not_spoiled(how: str) -> None:
    """It is not among what a converter copies."""
    moved = {"Spec": frozenset({("v1", "size")})} if how == "moved" else {}
    hooked = {"_SPEC_TO": frozenset({"size"})} if how == "claimed" else {}
    found = {mutant.line for mutant in mutants_of_storage("x.py", CONVERTER, hooked, moved)}
    assert 7 not in found and 11 in found


def test_the_mutants_of_a_hook() -> None:
    """Each line is left out or turned round, and each mutant is Python that differs there."""
    texts = [mutant.apply(HOOK.encode()).decode() for mutant in mutants_of_hooks("x.py", HOOK)]
    changed = [
        next(
            line.strip()
            for line, old in zip(text.splitlines(), HOOK.splitlines(), strict=True)
            if line != old
        )
        for text in texts
    ]
    assert changed == [
        "if (not (value is None)):",
        "pass",
        "for item in ():",
        "pass",
        "return None",
    ]


def test_the_laws_notice_mutants_of_the_sample_project(project_root: Path) -> None:
    """Some mutants, each of another kind; `holdall laws --mutants` tries all there are."""
    subjects = [Subject(scheme) for scheme in (BATCH, FLEET)]
    by_kind: dict[tuple[bool, str], list[Trial]] = {}
    for trial in find_trials(project_root, subjects):
        is_hook = trial.mutant.file.startswith("hooks/")
        by_kind.setdefault((is_hook, trial.mutant.what), []).append(trial)
    assert len(by_kind) >= 10
    # Of one group: all its laws are checked without a mutant, too, which takes longer.
    group = random.choice(subjects)
    of_group = [
        found
        for trials in by_kind.values()
        if (found := [trial for trial in trials if trial.packages == (group.scheme.package,)])
    ]
    chosen = [random.choice(found) for found in random.sample(of_group, 3)]
    verdicts = list(try_all(project_root, [group], chosen, 1, random.getrandbits(32)))
    assert [str(verdict.mutant) for verdict in verdicts if not verdict.law] == []


CONFIG = """
groups:
  things:
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: ""}}
    versions: [v1, v2]
"""


def test_survivors_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of a hook without any effect survives: exit code 1, with file and line."""
    schema = "type: object\nproperties: {{{}: {{type: string}}}}\n"
    hook = """
        from {generated}.things.v1 import storage as v1
        from {generated}.things.v2 import storage as v2
        from holdall import BagView, claims, is_null, set_null


        class Hooks(v1.AssignableThing):
            @claims(reads=["a"], writes=["b"])
            def assign_properties_to(
                self, source: v1.Thing, destination: v2.Thing, bag: BagView
            ) -> None:
                destination.b = source.a
                if is_null(source, "a"):
                    set_null(destination, "b")
                print
            @claims(reads=["b"], writes=["a"])
            def assign_properties_from(
                self, source: v2.Thing, destination: v1.Thing, bag: BagView
            ) -> None:
                destination.a = source.b
                if is_null(source, "b"):
                    set_null(destination, "a")
    """
    files = {
        "v1.yaml": schema.format("a"),
        "v2.yaml": schema.format("b"),
        "hooks/__init__.py": "",
        "hooks/things.py": textwrap.dedent(hook),
    }
    root = build_project(tmp_path, CONFIG, files)
    before = {path: path.read_bytes() for path in root.rglob("*.py")}
    code = main(["--project", str(root), "laws", "--mutants", "--jobs", "1", "--json"])
    captured = capsys.readouterr()
    assert not captured.err
    report = decode(captured.out)
    assert isinstance(report, dict) and isinstance(report["survivors"], list)
    lines = [(item["line"], item["before"]) for item in report["survivors"]]  # type: ignore[index,call-overload]
    assert (code, lines) == (1, [(15, "print")])
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == before
    shutil.rmtree(root)
