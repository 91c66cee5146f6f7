"""A browser for the explorer: Debian's Chromium, driven by Playwright; without them, skipped."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.explore.model import Wanted, project_model
from holdall_codegen.explore.page import page as page_of
from holdall_codegen.project import load_project
from tests.support.exploring import hostile_project, wide_project

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZE = {"width": 1440, "height": 900}
LANES = "#lanes .body [role=row]:not([hidden])"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests. HOLDALL_CHROMIUM names it where it is not on the path."""
    if not os.environ.get("HOLDALL_BROWSER"):
        pytest.skip("these tests run in a browser: make browser")
    program = os.environ.get("HOLDALL_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium, or name it in HOLDALL_CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    with playwright.sync_playwright() as driver:
        # Playwright gives the browser a new folder for its data.
        found = driver.chromium.launch(executable_path=program, headless=True, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A tab that remembers nothing, may print nothing to its console, and may ask nobody."""
    context = browser.new_context(viewport=SIZE)
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: said.append(request.url) if "http" in request.url else None)
    tab.problems = said
    yield tab
    context.close()
    assert said == []


@pytest.fixture(scope="session")
def pictures(project_root: Path) -> Path:
    """Where screenshots are left for people."""
    folder = project_root / "build" / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def sample_page(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the sample project, with differences to a plan that lacks a property."""
    older = tmp_path_factory.mktemp("older")
    for name in ("schemas", "hooks", "generated"):
        shutil.copytree(project_root / name, older / name)
    shutil.copy(project_root / "holdall.yaml", older)
    plan = older / "generated/batch/plan.json"
    value = json.loads(plan.read_text())
    del value["types"]["v20240701"]["BatchAccountSpec"]["owners"]
    plan.write_text(json.dumps(value))
    model = project_model(
        load_project(project_root), Wanted(examples=2, revision="v0.1", older=older)
    )
    return _write(tmp_path_factory.mktemp("sample"), model)


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    project = load_project(hostile_project(folder))
    return _write(folder, project_model(project, Wanted(examples=1)))


@pytest.fixture(scope="session")
def wide_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of an API with a kind of a thousand properties."""
    folder = tmp_path_factory.mktemp("wide")
    project = load_project(wide_project(folder))
    return _write(folder, project_model(project, Wanted(examples=0)))


@pytest.fixture
def show(tab: Any) -> Callable[..., Any]:
    """Open a page at an address within it, and return the tab."""

    def show(page: Path, where: str = "") -> Any:
        tab.goto(f"{page.as_uri()}#{where}")
        tab.wait_for_selector("html[data-ready=true]")
        return tab

    return show


def _write(folder: Path, model: Any) -> Path:
    path = folder / "explore.html"
    path.write_text(page_of(model), encoding="utf-8")
    return path
