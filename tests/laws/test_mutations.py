"""The laws are not blind: they notice each kind of change to a line of a converter or of a hook."""

from __future__ import annotations

import importlib
import random
import shutil
import sys
import textwrap
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from holdall.cli import main
from holdall.testing.laws import mutant_runs
from holdall.testing.laws.mutant_runs import (
    EXAMPLES,
    Checkers,
    Trial,
    Unbroken,
    Verdict,
    find_trials,
    narrowed,
    parts_of,
)
from holdall.testing.laws.mutating import mutants_of_hooks, mutants_of_storage, plant, text_of
from holdall.testing.laws.subjects import Subject
from holdall.text.json import decode
from tests.support.notation import expanded
from tests.support.projects import (
    THING_CONFIG,
    THING_FILES,
    build_project,
    config_of,
    group_of,
    scheme_of,
)

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


def test_a_name_with_a_slash_is_not_a_way(tmp_path: Path) -> None:
    """`box/size` is a member of its own: what happens to the size of a box is looked at, too."""
    counts = list[int]()
    for name in ("box/size", "boxed"):
        root = tmp_path / str(len(counts))
        root.mkdir()
        older = {"box": {"size": "integer", "name": "string"}, name: "integer"}
        schemas = {"v1": expanded(older), "v2": expanded({"box": {"name": "string"}})}
        scheme = scheme_of(build_project(root, *group_of(schemas, api_group=None)))
        counts.append(len(find_trials(root, [Subject(scheme)])))
    assert counts[0] == counts[1]


def test_the_mutants_of_a_converter() -> None:
    """Each assignment, copy, bag key, bag and hook is broken."""
    found = {
        (mutant.line, mutant.what)
        for mutant in mutants_of_storage("x.py", CONVERTER, {"_SPEC_TO": frozenset()}, {}, {})
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
    found = [mutant.what for mutant in mutants_of_storage("x.py", CONVERTER, {}, {}, {})]
    assert "a hook is not run" not in found


def test_bag_keys_of_claimed_properties_are_left_alone() -> None:
    """What generated code stashes of them leaves the bag by itself: to break it is no change."""
    hooked = {"_SPEC_TO": frozenset({"color"})}
    found = [mutant.line for mutant in mutants_of_storage("x.py", CONVERTER, hooked, {}, {})]
    assert 9 not in found


@pytest.mark.parametrize("how", ["moved", "claimed", "carried"])
def test_what_a_move_or_a_hook_takes_is_not_spoiled(how: str) -> None:
    """It is not among what a converter copies."""
    moved = {"Spec": frozenset({("v1", "size")})} if how == "moved" else {}
    hooked = {"_SPEC_TO": frozenset({"size"})} if how == "claimed" else {}
    carried = {"Spec": frozenset({"size"})} if how == "carried" else {}
    mutants = mutants_of_storage("x.py", CONVERTER, hooked, moved, carried)
    found = {mutant.line for mutant in mutants}
    assert 7 not in found and 11 in found


def test_what_a_move_takes_out_of_an_object_is_not_spoiled(tmp_path: Path) -> None:
    """Its members are copied by nothing; those beside it are."""
    inner = "{{type: object, properties: {{wait: {}}}}}"
    text = f"type: object\nproperties: {{{{wait: {{}}, name: {{}}, {{}}: {inner}}}}}"
    string = "{type: string}"
    files = {
        "v1.yaml": text.format(string, string, "next", string),
        "v2.yaml": text.format(string, string, "past", string),
    }
    moves = "{wait: {move: past/wait}, next/wait: {move: wait}}"
    between = f"    between: {{v1 -> v2: {{Thing: {moves}}}}}\n"
    root = build_project(tmp_path, CONFIG.rstrip("\n") + "\n" + between, files)
    mutants = [trial.mutant for trial in find_trials(root, [Subject(scheme_of(root))])]
    spoiled = [mutant.after for mutant in mutants if mutant.what == "a text is normalised"]
    assert any("'name'" in after for after in spoiled)
    assert not any("'wait'" in after for after in spoiled)


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


def test_lines_that_only_some_values_reach() -> None:
    """Those that an error or a form of the value leads to are broken, too, and each once."""
    text = """\
def read(value):
    try:
        found = 1 if value else 2
    except ValueError:
        return 3
    match value:
        case str():
            return 4
        case _:
            found += 5
    return found
"""
    found = sorted((mutant.line, mutant.after) for mutant in mutants_of_hooks("x.py", text))
    assert found == [
        (3, "(not (value))"),
        (3, "pass"),
        (5, "None"),
        (8, "None"),
        (10, "pass"),
        (11, "None"),
    ]


def test_a_mutant_breaks_its_line_however_the_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a mark at its start and CR and LF at the ends of its lines, as on Windows."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "hooks_of_windows.py"
    text = 'def double(value):\n    if value:\n        return 2 * value\n    return "ü"\n'
    file.write_bytes(f"\ufeff{text}".replace("\n", "\r\n").encode())
    found = []
    for mutant in mutants_of_hooks(file.name, text_of(file)):
        plant(mutant, tmp_path, [file.stem])
        double = importlib.import_module(file.stem).double
        found.append((double(3), double(0)))
    assert found == [("ü", 0), (None, "ü"), (6, None)]


@pytest.mark.parametrize("place", ["hooks.py", "linked"])
def test_hooks_are_broken_wherever_they_are(tmp_path: Path, place: str) -> None:
    """In a single module, and behind a link to a folder: where they are found, too."""
    root = build_project(tmp_path, THING_CONFIG, {**THING_FILES, "hooks/__init__.py": HOOK})
    scheme = scheme_of(root)
    hooks = root / scheme.hooks
    if place == "linked":
        hooks.rename(root / place)
        hooks.symlink_to(place)
    else:
        (hooks / "__init__.py").rename(hooks.with_suffix(".py"))
        hooks.rmdir()
    trials = find_trials(root, [Subject(scheme)])
    assert len([trial for trial in trials if trial.is_hook]) == 5


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
        if (found := [trial for trial in trials if packages(trial) == {group.scheme.package}])
    ]
    chosen = [random.choice(found) for found in random.sample(of_group, 3)]
    verdicts = tried(project_root, group, chosen)
    assert [str(verdict.mutant) for verdict in verdicts if not verdict.law] == []


def packages(trial: Trial) -> set[str]:
    """Return the packages where a mutant matters."""
    return {package for package, _ in trial.parts}


def tried(root: Path, group: Subject, trials: list[Trial]) -> list[Verdict]:
    """Return what happens to some mutants of a group."""
    parts = sorted({part for trial in trials for part in trial.parts})
    seed = random.getrandbits(32)
    with closing(Checkers(root, [group], 1, EXAMPLES, seed)) as checkers:
        return [*checkers.try_all(trials, [*checkers.check_unbroken(parts)])]


CONFIG = config_of("Thing")


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
    assert main(["--project", str(root), "laws", "--mutants", "hooks", "--jobs", "1"]) == 1
    shown = capsys.readouterr().out
    assert "/things.py:15: a line is missing: print => pass\n    fix: in a hook, test" in shown
    shutil.rmtree(root)


TWO_KINDS = """
groups:
  things:
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Other: "/$defs/Other", Thing: "/$defs/Thing"}}
      - {schemas: v2.yaml, version: v2, kinds: {Other: "/$defs/Other", Thing: "/$defs/Thing"}}
    versions: [v1, v2]
"""

SIZES = "$defs:\n" + "".join(
    f"  {kind}: {{type: object, properties: {{size: {{type: integer}}}}}}\n"
    for kind in ("Other", "Thing")
)

HOOK_OF_ONE = """
from {generated}.things.v1 import storage as v1
from holdall import Composed, EachValue


def turned(value):
    seen = []
    while len(seen) < 2:
        seen.append(value)
    return -seen[0] if type(seen[0]) is int else value


def unused(value):
    return value


class Things(Composed, v1.AssignableThing):
    parts = (EachValue("size", turned, turned),)
"""

ALWAYS = """
from {generated}.things.v1 import storage as v1
from holdall import Always, Composed


class Things(Composed, v1.AssignableThing):
    parts = (Always(newer={"size": 0}),)
"""


@pytest.mark.parametrize(("hook", "runs"), [(ALWAYS, False), (HOOK_OF_ONE, True)])
def test_what_is_always_there_is_filled_in_around_a_converter(
    hook: str, runs: bool, tmp_path: Path
) -> None:
    """So nothing is left out at its end."""
    files = {"hooks/things.py": hook}
    files |= {"v1.yaml": SIZES, "v2.yaml": SIZES.replace("{size", "{color: {type: string}, size")}
    root = build_project(tmp_path, TWO_KINDS, files)
    trials = find_trials(root, [Subject(scheme_of(root))])
    assert any(trial.mutant.what == "a hook is not run" for trial in trials) is runs


@pytest.fixture
def of_one(tmp_path: Path) -> Path:
    """A project of two kinds; one has a hook, with a line without which it does not end."""
    files = {"hooks/things.py": HOOK_OF_ONE}
    files |= {"v1.yaml": SIZES, "v2.yaml": SIZES.replace("size", "length", 1)}
    return build_project(tmp_path, TWO_KINDS, files)


def test_a_mutant_is_tried_where_its_line_runs(
    of_one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kinds for which it does not run are left out, and so is a mutant that runs for none."""
    monkeypatch.setattr(mutant_runs, "_LEAST", 0)
    groups = [Subject(scheme_of(of_one))]
    package = groups[0].scheme.package
    trials = [trial for trial in find_trials(of_one, groups) if trial.is_hook]
    with closing(Checkers(of_one, groups, 2, 2, 1)) as checkers:
        unbroken = [*checkers.check_unbroken(parts_of(groups))]
        chosen = narrowed(trials, unbroken, [])
        found = {
            (verdict.mutant.owner, verdict.mutant.before): (verdict.law, verdict.reached)
            for verdict in checkers.try_all(chosen, unbroken)
        }
    parts = {trial.mutant.owner: set(trial.parts) for trial in chosen}
    assert parts == {"turned": {(package, "Thing"), (package, "")}, "unused": set()}
    assert found["unused", "value"] == ("", False)
    assert found["turned", "seen.append(value)"] == ("does not end", True)
    assert {each.part for each in unbroken} == {(package, name) for name in ("Other", "Thing", "")}


def test_a_mutant_of_a_converter_meets_the_objects_that_run_its_line(of_one: Path) -> None:
    """No others: for these it changes nothing."""
    groups = [Subject(scheme_of(of_one))]
    trial = next(
        trial
        for trial in find_trials(of_one, groups, ["Other"])
        if trial.mutant.what == "a bag key is wrong"
    )
    with closing(Checkers(of_one, groups, 1, 0, 1)) as checkers:
        unbroken = [*checkers.check_unbroken(trial.parts)]
        kind = next(each for each in unbroken if each.part[1])
        cases = kind.cases(trial.mutant)
        without = replace(
            kind, lines={**kind.lines, trial.mutant.file: {trial.mutant.line: 1 << 99}}
        )
        found = [
            next(checkers.try_all([trial], [each, *unbroken[1:]])).law for each in (kind, without)
        ]
    assert cases > 0 and not cases.bit_length() > 99
    assert found[0].startswith("L") and not found[1]


def test_only_some_kinds(of_one: Path) -> None:
    """Then mutants that do not matter to them are not tried: nothing is known about those."""
    groups = [Subject(scheme_of(of_one))]
    trials = find_trials(of_one, groups, ["Other"])
    package = groups[0].scheme.package
    ran = {trial.mutant.file: dict.fromkeys(range(100), 1) for trial in trials}
    hooks = next(trial.mutant.file for trial in trials if trial.is_hook)
    unbroken = [
        Unbroken((package, "Other"), 0.1, {**ran, hooks: {}}),
        Unbroken((package, ""), 0.1, ran),
    ]
    of_other = narrowed(trials, unbroken, ["Other"])
    assert of_other and not any(trial.is_hook for trial in of_other)
    assert {trial.parts for trial in of_other} == {((package, "Other"), (package, ""))}


@pytest.mark.parametrize(
    ("what", "law"),
    [('__import__("os")._exit(1)', "ends the process"), ("while 1: pass", "does not end")],
)
def test_the_limit_is_of_the_processors_time(
    what: str, law: str, of_one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mutant that does not end, or that ends the process, is noticed by that."""
    monkeypatch.setattr(mutant_runs, "_LEAST", 0)
    groups = [Subject(scheme_of(of_one))]
    trial = next(trial for trial in find_trials(of_one, groups) if trial.is_hook)
    trial = replace(trial, mutant=replace(trial.mutant, after=what))
    with closing(Checkers(of_one, groups, 1, 2, 1)) as checkers:
        unbroken = [*checkers.check_unbroken(parts_of(groups))]
        assert [found.law for found in checkers.try_all([trial], unbroken)] == [law]


def test_a_law_that_fails_without_a_mutant(
    of_one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to learn from mutants then."""
    hook = next(of_one.glob("hooks*/things.py"))
    text = hook.read_text(encoding="utf-8").replace("return -seen", "1 / 0\n    return -seen")
    hook.write_text(text, encoding="utf-8")
    assert main(["--project", str(of_one), "laws", "--mutants", "hooks", "--jobs", "1"]) == 2
    assert "HA705 a law fails without any mutant: L5 Thing v1 -> v2" in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "count"), [("Thing", 5), ("Other", 0)])
def test_only_hooks(
    kind: str,
    count: int,
    of_one: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of one kind, with few objects: the report says which laws noticed what."""
    monkeypatch.setattr(mutant_runs, "_LEAST", 0)
    options = ["--mutants", "hooks", "--kind", kind, "--examples", "1", "--jobs", "1"]
    main(["--project", str(of_one), "laws", *options, "--json", "--seed", "1"])
    report: Any = decode(capsys.readouterr().out)
    assert report["mutants"] == count
    assert sum(report["noticed"].values()) + len(report["survivors"]) == count
