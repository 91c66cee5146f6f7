"""What all tests share: Hypothesis profiles, the switch for expected outputs, and places."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdall.scheme.scheme import Scheme
from holdall.webhook.collector import spared_collector
from tests.support.fixes import every_problem_has_a_fix
from tests.support.prepared import write_commands

if TYPE_CHECKING:
    from tests.support.declared import Declaring


@contextmanager
def bytecode_is_kept() -> Iterator[None]:
    """Let Python keep what it compiles, even where it is told not to."""
    told, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        yield
    finally:
        sys.dont_write_bytecode = told


# pytest rewrites Hypothesis as it does tests: in every process, also in those that tests start.
with bytecode_is_kept():
    from hypothesis import HealthCheck, settings
    from hypothesis.internal.conjecture import providers

PROJECT_ROOT = Path(__file__).resolve().parent.parent

# Time is not judged: on a loaded machine it says nothing about the code under test.
_UNTIMED = (HealthCheck.too_slow,)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=False,
    max_examples=100,
    print_blob=True,
    suppress_health_check=_UNTIMED,
)
settings.register_profile("thorough", settings.get_profile("ci"), max_examples=2000)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the switch that lets tests rewrite their expected outputs."""
    parser.addoption(
        "--update-goldens",
        action="store_true",
        default=False,
        help="rewrite the expected outputs in tests/**/goldens instead of comparing with them",
    )
    parser.addoption(
        "--walk-seed",
        type=int,
        default=0,
        help="which bad objects the walks over bad input choose; `-m exhaustive` takes all of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the Hypothesis profile that HOLDALL_HYPOTHESIS names; `ci` when it names none."""
    if config.getoption("--hypothesis-profile", default=None):
        return
    name = os.environ.get("HOLDALL_HYPOTHESIS") or "ci"
    if name not in ("ci", "thorough"):
        raise pytest.UsageError(f"HOLDALL_HYPOTHESIS is {name!r}; use 'ci' or 'thorough'")
    settings.load_profile(name)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let Python keep what it compiles of the tests.

    Only while they are collected: tests write modules of their own, and change them in no time.
    """
    with bytecode_is_kept():
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files that have slow tests: at the end one process would wait for the other."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over ten thousand tests: none of them is garbage.

    Nor is most of what tests make; the collector looks at it less often. Commands in this process
    leave it at that: each would count, and collect, what all tests made.
    And let Hypothesis know the constants of the code as it is now. Looking for more in what tests
    generate takes its time, and makes a seed draw what depends on the tests before.
    """
    known = providers._get_local_constants()
    vars(providers)["_get_local_constants"] = lambda: known
    spared_collector().__enter__()
    gc.set_threshold(50_000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Fail a test in which holdall reports a problem and not what helps."""
    with every_problem_has_a_fix():
        return (yield)


@pytest.fixture(scope="session")
def update_goldens(pytestconfig: pytest.Config) -> bool:
    """Tell whether expected outputs are to be rewritten."""
    return bool(pytestconfig.getoption("--update-goldens"))


@pytest.fixture(scope="session")
def walk_seed(pytestconfig: pytest.Config) -> int:
    """The seed of walks over bad input."""
    return int(pytestconfig.getoption("--walk-seed"))


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The root of the repository."""
    return PROJECT_ROOT


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the kind Thing in v1 and v2, for modules without one of their own."""
    from tests.support.projects import THING_CONFIG, THING_FILES, build_project

    return build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, THING_FILES)


@pytest.fixture(scope="module")
def scheme(project: Path) -> Scheme:
    """The scheme of the project's first group."""
    from tests.support.projects import scheme_of

    return scheme_of(project)


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Declaring:
    """Make the group that a declaration describes; of each text a module has one."""
    from tests.support.declared import declare

    return cache(lambda text: declare(tmp_path_factory.mktemp("declared"), text))


@pytest.fixture
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the path of imports be as it was after a test."""
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_path: None) -> None:
    """Run a test in its temporary folder, with its own path of imports."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `holdall` and `python` that start at once: for tests of what commands do."""
    return write_commands(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the repository; a test that needs it is skipped without it."""
    folder = PROJECT_ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder `shared` with real schemas beside the repository")
    return folder
