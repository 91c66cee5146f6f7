"""The live page: objects are converted by the project while one looks at it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.explore.model import Wanted
from holdall_codegen.explore.server import Explorer, make_server
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

CUP = (
    "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: cup}\nspec: {size: 3, color: red}\n"
)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    explorer = Explorer(build_project(tmp_path, THING_CONFIG, THING_FILES), Wanted(examples=0))
    with make_server(explorer, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()
    explorer.close()


def test_paste_and_edit(browser: Any, address: str, tmp_path: Path) -> None:
    """YAML is converted, an edit at the new version is seen at the old one, faults are told."""
    tab = browser.new_page()
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(f"{address}#tab=objects")
    tab.click("#paste")
    tab.fill("#given", "apiVersion: example.com/v9\nkind: Thing")
    tab.click("#show")
    tab.locator("dialog .fault").wait_for()
    assert "v9" in tab.locator("dialog .fault").inner_text()
    tab.fill("#given", CUP)
    tab.click("#show")
    tab.locator("dialog[open]").wait_for(state="hidden")
    assert 'v1 /spec/color: "red"' in tab.locator(".view[data-version=v2] .held").inner_text()
    tab.locator(".view[data-version=v2] button").click()
    document = json.loads(tab.input_value("#given"))
    document["spec"]["size"] = 4
    tab.fill("#given", json.dumps(document))
    tab.click("#show")
    tab.locator(".tree li.edited").first.wait_for()
    edited = tab.locator(".view[data-version=v1] .tree li.edited")
    assert edited.text_content() == "size: 34"
    schema = tmp_path / "v2.yaml"
    schema.write_text(schema.read_text().replace("shade:", "weight:"))
    tab.get_by_role("button", name="Reload").click()
    tab.get_by_text("There are no objects and no laws on this page").wait_for()
    tab.close()
    assert problems == []
