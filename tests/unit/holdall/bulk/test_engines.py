"""What workers of an engine need: seen and told before documents are converted."""

from __future__ import annotations

import builtins
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pyarrow as pa
import pytest

from holdall.bulk import engines
from holdall.bulk.arrow import Columns
from holdall.bulk.ray import Converter, convert_dataset
from holdall.bulk.spark import convert_frame
from holdall.errors import NotInstalled, UnknownKindError
from holdall.scheme.scheme import Scheme
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

COLUMNS = Columns("doc")
_HOOK = '''"""No hook, but a module of the package."""\n'''


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project with the kind Thing in v1 and v2, and a package of hooks."""
    kept = [*sys.path]
    yield build_project(tmp_path, THING_CONFIG, {**THING_FILES, "hooks/__init__.py": _HOOK})
    sys.path[:] = kept


@pytest.fixture
def work(project: Path) -> engines.Work:
    return engines.work_of(scheme_of(project), "v2", COLUMNS)


def asked(work: engines.Work, place: Path) -> str:
    """Return what a worker answers whose packages are in another place."""
    code = (
        "import sys; from holdall.bulk import engines; print(engines.unready(*eval(sys.argv[1])))"
    )
    words = repr((tuple(map(tuple, work.groups)), work.to, tuple(work.columns), work.version))
    done = subprocess.run(
        [sys.executable, "-c", code, words], capture_output=True, text=True, check=True, cwd=place
    )
    return done.stdout.strip()


def test_a_worker_with_the_same_packages_is_ready(work: engines.Work, project: Path) -> None:
    """It has nothing to say."""
    assert asked(work, project) == ""


def test_a_missing_package_is_told(work: engines.Work, tmp_path: Path) -> None:
    """By its name."""
    (empty := tmp_path / "empty").mkdir()
    package = work.groups[0].package
    assert asked(work, empty) == f"the generated package {package} does not exist"


def test_missing_hooks_are_told(work: engines.Work, project: Path) -> None:
    """They would be silently no hooks, and give other bytes."""
    (group,) = work.groups
    shutil.rmtree(project / group.hooks)
    assert asked(work, project) == f"its package of hooks, {group.hooks}, is missing"


def test_other_hooks_are_told(work: engines.Work, project: Path) -> None:
    """A package of this name that says something else."""
    (group,) = work.groups
    (project / group.hooks / "more.py").write_text('"""More."""\n', encoding="utf-8")
    assert asked(work, project).endswith("differs from the driver's")


def test_another_state_of_the_generated_package_is_told(work: engines.Work, project: Path) -> None:
    """Its plan has another digest."""
    changed = tuple(group._replace(plan="0") for group in work.groups)
    assert "was generated from other schemas" in asked(work._replace(groups=changed), project)


def test_another_version_of_holdall_is_told(work: engines.Work, project: Path) -> None:
    """Before anything is imported."""
    assert asked(work._replace(version="0.0.1"), project).endswith(", but the driver has 0.0.1")


def test_the_probe_needs_nothing_of_holdall(
    work: engines.Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a worker without holdall its answer is what is missing."""
    probe = engines.prober(work)
    assert isinstance(probe, FunctionType)
    assert set(probe.__code__.co_names) <= {"import_module", "unready", *dir(builtins), "__name__"}
    monkeypatch.setitem(sys.modules, "holdall.bulk.engines", None)
    assert probe().startswith("ModuleNotFoundError: ")


def test_what_workers_lack_is_one_error() -> None:
    """What, where and the fix, each once."""
    engines.raise_if_unready(["", ""], "send it")
    with pytest.raises(engines.WorkerUnready) as caught:
        engines.raise_if_unready(["no a", "", "no a", "no b"], "send it")
    assert str(caught.value) == (
        "HA417 a worker: it is not ready: no a\n    fix: send it\n"
        "HA417 a worker: it is not ready: no b\n    fix: send it"
    )


def test_a_process_loads_once(work: engines.Work) -> None:
    """All tasks of a worker share what converts."""
    assert engines.documents_of(work) is engines.documents_of(work)


def test_an_unknown_target_is_told_by_the_driver(project: Path) -> None:
    """It asks no worker."""
    with pytest.raises(UnknownKindError, match='did you mean "v2"'):
        engines.work_of(scheme_of(project), "v22", COLUMNS)


def test_an_unknown_kind_is_told_by_the_driver(project: Path) -> None:
    """It would fail every document."""
    with pytest.raises(UnknownKindError, match='did you mean "Thing"'):
        engines.work_of(scheme_of(project), "v2", COLUMNS._replace(kind="Thong"))


def test_an_actor_converts_tables(work: engines.Work) -> None:
    """Also those that have no row and no batch."""
    convert = Converter(work)
    text = '{"apiVersion":"example.com/v1","kind":"Thing"}'
    found = convert(pa.table({"doc": [text, None]}))
    assert found.column("outcome").to_pylist() == ["converted", "empty"]
    none = convert(pa.table({"doc": pa.chunked_array([], pa.string())}))
    assert (none.num_rows, none.schema) == (0, found.schema)


@pytest.mark.parametrize(
    ("convert", "engine"), [(convert_frame, "pyspark"), (convert_dataset, "ray")]
)
def test_an_engine_that_is_not_installed_is_named(
    convert: Any, engine: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the extra that brings it."""
    monkeypatch.setitem(sys.modules, engine, None)
    extra = {"pyspark": "spark"}.get(engine, engine)
    with pytest.raises(NotInstalled, match=rf"{engine} is not .*\n.*'holdall\[{extra}\]'"):
        convert(scheme_of(project), None, column="doc", to="v2")


def test_a_scheme_is_needed_once(project: Path) -> None:
    """Any iterable of schemes will do."""
    scheme: Scheme = scheme_of(project)
    work = engines.work_of(iter([scheme]), "v2", COLUMNS)
    assert [group.package for group in work.groups] == [scheme.package]
