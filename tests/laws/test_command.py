"""`holdall laws` and `laws.suite`, on a project whose hook forgets null."""

from __future__ import annotations

import errno
import re
import shlex
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from holdall.cli import main
from holdall.text.json import decode
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, written_hook

SCHEMA = '{metadata: {"*": true}, spec: {size: integer, NAME: string}}'

HOOK = written_hook(
    "destination.color = source.colour",
    "destination.colour = source.color",
    reads="colour",
    writes="color",
)

FILES = {
    "v1.yaml": schema_text(SCHEMA.replace("NAME", "colour")),
    "v2.yaml": schema_text(SCHEMA.replace("NAME", "color")),
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A project with a hook that carries values over, and forgets null."""
    files = {**FILES, "hooks/things.py": HOOK}
    return build_project(tmp_path / "broken", THING_CONFIG, files)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """The same project without the hook: both names are kept."""
    return build_project(tmp_path / "sound", THING_CONFIG, FILES)


def run(root: Path, *arguments: str) -> int:
    return main(["--project", str(root), "laws", "--jobs", "1", *arguments])


def report_of(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code = run(root, "--json", *arguments)
    return code, decode(capsys.readouterr().out)


def test_a_sound_project(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, a row for each pair, and the seed."""
    assert run(sound, "--examples", "20", "--seed", "7") == 0
    captured = capsys.readouterr()
    rows = [line.split() for line in captured.out.splitlines()]
    assert rows[0] == ["KIND", "FROM", "TO", *(f"L{number}" for number in (*range(11), 12))]
    assert rows[1] == ["Thing", "v1", "v2", "ok", "ok", "-", *["ok"] * 9]
    assert rows[2] == ["Thing", "v2", "v1", "ok", "-", "ok", *["ok"] * 9]
    assert "--seed 7" in captured.err


def test_without_examples_only_whole_objects_are_checked(
    sound: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are few, and find what whole objects show; members alone take an example."""
    few = report_of(sound, capsys, "--examples", "0")[1]["objects"]
    all_fixed = report_of(sound, capsys, "--examples", "1")[1]["objects"]
    assert 0 < few <= all_fixed / 2
    assert run(broken, "--examples", "0") == 1
    assert "does not prove that the laws hold" in capsys.readouterr().err


def test_a_counterexample_is_small_and_found_again(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the one member that matters, its difference has a path, and its command finds it."""
    code, report = report_of(broken, capsys, "--examples", "100", "--seed", "3")
    found = {example["law"]: example for example in report["counterexamples"]}
    assert code == 1
    assert found["L1"]["object"]["spec"] == {"colour": None}
    assert found["L1"]["differences"] == ["/spec/colour: expected null, found nothing"]
    assert found["L2"]["object"]["spec"] == {"color": None}
    for example in report["counterexamples"]:
        _, _, *options = shlex.split(example["command"])
        again_code, again = report_of(broken, capsys, *options)
        laws = [(one["law"], one["kind"]) for one in again["counterexamples"]]
        assert (again_code, laws) == (1, [(example["law"], "Thing")])


@pytest.mark.parametrize(
    ("place", "error", "said"),
    [
        (
            "__init__",
            OSError(errno.EROFS, "Read-only file system"),
            "cannot be started: Read-only file system",
        ),
        ("__init__", ImportError("no sem_open"), "cannot be started: no sem_open"),
        ("submit", BrokenProcessPool(), "ended before its work was done"),
    ],
)
def test_processes_that_cannot_be_had(
    sound: Path,
    place: str,
    error: Exception,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where `/dev/shm` cannot be written, or memory is short: one process does it all, too."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(ProcessPoolExecutor, place, fail)
    assert run(sound, "--examples", "0", "--jobs", "2") == 2
    errors = capsys.readouterr().err
    assert "HA415 a process " in errors and said in errors and "with fewer --jobs" in errors
    assert run(sound, "--examples", "0") == 0


def test_equal_seeds_draw_equal_objects(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs of one seed report the same, in any number of processes."""
    reports = []
    for jobs in ("1", "2"):
        options = ("--json", "--examples", "300", "--seed", "5", "--law", "L1", "--law", "L4")
        code = main(["--project", str(broken), "laws", "--jobs", jobs, *options])
        report: Any = decode(capsys.readouterr().out)
        reports.append((code, {key: report[key] for key in ("cells", "counterexamples")}))
    assert reports[0] == reports[1]


def test_given_objects(broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are checked instead of drawn ones, and only what they reach is in the table."""
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("apiVersion: example.com/v2\nkind: Thing\nspec: {size: 1}\n")
    bad.write_text("apiVersion: example.com/v1\nkind: Thing\nspec: {size: 1, colour: null}\n")
    assert run(broken, "--law", "L2", str(good)) == 0
    capsys.readouterr()
    code, report = report_of(broken, capsys, "--law", "L1", str(bad))
    (example,) = report["counterexamples"]
    assert (code, example["object"]["spec"]) == (1, {"colour": None})
    assert example["command"].endswith(f" {shlex.quote(str(bad))}")
    assert [(cell["from"], cell["to"]) for cell in report["cells"]] == [("v1", "v2")]
    code, report = report_of(broken, capsys, "--law", "L1", str(good), str(bad))
    assert (code, report["objects"]) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--kind", "Think"], "HA701 no kind 'Think' with at least two versions; did you mean"),
        (["--law", "L99"], "L99"),
        (["x.yaml", "--mutants"], "omit files and --law"),
        (["--mutants", "hooks", "--law", "L1"], "omit files and --law"),
        (["--mutants", "half"], "'half' is not one of"),
        (["--mutants", "--kind", "Think"], "HA701 no kind 'Think' with at least two versions"),
    ],
)
def test_wrong_use(
    arguments: list[str], text: str, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and what to do."""
    assert run(sound, *arguments) == 2
    assert text in capsys.readouterr().err


def test_objects_of_unknown_kinds_are_refused(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With their place in the file."""
    file = tmp_path / "other.yaml"
    file.write_text("apiVersion: v1\nkind: Secret\n")
    assert run(sound, str(file)) == 2
    assert re.search(r"HA702 .*other\.yaml:1:1: .* v1 Secret", capsys.readouterr().err)


def test_what_has_documents_as_text_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is converted, but has no versions that laws could compare; the error had no text."""
    inner = "    inner_documents: [{in: [v1/Secret], annotation: things}]\n"
    root = build_project(tmp_path / "inner", THING_CONFIG + inner, FILES)
    (root / "other.yaml").write_text("apiVersion: v1\nkind: Secret\n")
    assert run(root, str(root / "other.yaml")) == 2
    assert "the project has no kind for v1 Secret" in capsys.readouterr().err


def test_a_hook_without_effect_is_not_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """L11 fails, and nothing else."""
    files = {"v1.yaml": FILES["v1.yaml"], "v2.yaml": FILES["v1.yaml"]}
    hook = HOOK.replace("color ", "colour ").replace(".color\n", ".colour\n")
    hook = hook.replace('"color"', '"colour"').replace("destination.color", "destination.colour")
    root = build_project(
        tmp_path,
        THING_CONFIG,
        {**files, "hooks/things.py": _idle(hook)},
    )
    assert run(root, "--examples", "20") == 1
    out = capsys.readouterr().out
    assert "HA704 v1.ThingSpec -> v2.ThingSpec: nothing changes" in out
    assert "FAIL" not in out


def _idle(hook: str) -> str:
    return re.sub(r"destination\.\w+ = .*", "return", hook)


def test_the_suite_names_what_fails(broken: Path, tmp_path: Path) -> None:
    """`laws.suite` makes one test for each kind, pair and law; those that fail say why."""
    package = next(path.name for path in broken.glob("generated_*"))
    file = tmp_path / "test_things.py"
    file.write_text(
        f"from {package}.things import SCHEME\n"
        "from holdall.testing import laws\n"
        "test_laws = laws.suite(SCHEME, examples=30)\n"
    )
    path = ":".join([str(broken), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    failed = set(re.findall(r"FAILED .*\[(.*?)\]", done.stdout))
    passed = set(re.findall(r"PASSED .*\[(.*?)\]", done.stdout))
    assert {"Thing-v1-v2-L1", "Thing-v2-v1-L2"} <= failed, done.stdout
    assert {"Thing-v1-v2-L7", "hooks-L11", "processes-L6"} <= passed
    assert len(failed | passed) == 24
    assert "/spec/colour: expected null, found nothing" in done.stdout
