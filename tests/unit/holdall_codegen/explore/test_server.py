"""The live page: who may ask, what is answered, and that files are read again."""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import HoldallError, SourceError
from holdall.types import JsonObject
from holdall_codegen.explore.model import Wanted
from holdall_codegen.explore.server import Explorer, answer_of, make_server, state_of
from tests.support import plain_documents
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

CUP = (
    "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: cup}\nspec: {size: 3, color: red}\n"
)


@pytest.fixture(scope="module")
def port(project: Path) -> Iterator[int]:
    """A server of the project's page."""
    explorer = Explorer(project, Wanted(examples=0))
    with make_server(explorer, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()
    explorer.close()


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = None if body is None else json.dumps(body)
    if sent is not None:
        names = {"Content-Type": "application/json", **names}
    connection.request(method, path, sent, names)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    is_json = answer.getheader("Content-Type") == "application/json"
    return answer.status, json.loads(text) if is_json else text


def test_the_page_is_live(port: int) -> None:
    """The page may ask its server, and knows the state it was made from."""
    status, text = ask(port, "GET", "/")
    assert status == 200
    assert "connect-src 'self'" in text and '"live":true' in text
    assert ask(port, "GET", "/state")[1]["state"] in text


def test_a_port_that_is_taken(project: Path, port: int) -> None:
    """Whoever has it, it is no defect."""
    with pytest.raises(SourceError, match=f"HA824 127.0.0.1:{port}: cannot listen: .* in use"):
        make_server(Explorer(project, Wanted(examples=0)), port)


def test_objects_are_converted(port: int) -> None:
    """YAML in, every version out, by the project's own code."""
    status, answer = ask(port, "POST", "/convert", {"text": CUP + "---\n" + CUP})
    assert status == 200
    assert [item["title"] for item in answer["objects"]] == ["Thing cup", "Thing cup"]
    view = answer["objects"][0]["views"]["v2"]
    assert [(entry["property"], entry["value"]) for entry in view["bag"]] == [("color", "red")]


def test_edits_are_followed(port: int) -> None:
    """An edit at one version, seen at all of them."""
    base = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"size": 3}}
    edited = json.dumps({**base, "spec": {"size": 4}})
    status, answer = ask(port, "POST", "/convert", {"base": base, "text": edited})
    assert (status, answer["changes"]["v1"]) == (200, [["/spec/size", [3], [4]]])


def test_documents_that_say_their_version_elsewhere(tmp_path: Path) -> None:
    """They are shown at every version, and so is what an edit of one changes."""
    shop = build_project(tmp_path, plain_documents.CONFIG, plain_documents.FILES)
    order: JsonObject = {"schemaVersion": 2, "type": "Order", "id": "a", "price": 3}
    answer: Any = answer_of(shop, {"text": json.dumps(order)})
    (found,) = answer["objects"]
    assert (found["kind"], found["version"]) == ("Order", "v2")
    assert found["views"]["v3"]["document"] == {**order, "schemaVersion": 3}
    answer = answer_of(shop, {"base": order, "text": json.dumps({**order, "price": 4})})
    assert answer["changes"]["v1"] == [["/total", [3], [4]]]
    with pytest.raises(HoldallError, match="an edit must not change version or kind"):
        answer_of(shop, {"base": order, "text": json.dumps({**order, "schemaVersion": 3})})


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ({"text": ""}, "the text has no object"),
        ({"text": "a: [1"}, "HA"),
        ({"text": f"{CUP}\n---\n- 1\n"}, "HA110 <stdin>:"),
        ({"text": "apiVersion: example.com/v9\nkind: Thing\n"}, "v9"),
        ({"text": "apiVersion: example.com/v1\nkind: Thing\nspec: 3\n"}, "spec"),
        ({}, "the request has no text"),
        (
            {"text": CUP, "base": {"apiVersion": "example.com/v2", "kind": "Thing"}},
            "an edit must not change",
        ),
    ],
)
def test_wrong_questions_are_explained(project: Path, question: Any, text: str) -> None:
    """What cannot be converted is an error, or a view that says why."""
    try:
        found = json.dumps(answer_of(project, question))
    except HoldallError as error:
        found = str(error)
    assert text in found


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/etc/passwd", {}, 404),
        ("GET", "/", {"Host": "evil.example"}, 403),
        ("GET", "/state", {"Origin": "https://evil.example"}, 403),
        ("POST", "/convert", {"Origin": "https://evil.example"}, 403),
        ("POST", "/convert", {"Content_Type": "text/plain"}, 400),
        ("POST", "/", {}, 400),
        ("POST", "/convert", {}, 422),
    ],
)
def test_other_sites_are_refused(
    port: int, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    """A page of another site, or another name for this machine, is not answered."""
    body: Any = [] if method == "POST" else None
    found, answer = ask(port, method, path, body, **headers)
    assert found == status
    assert "error" in answer


def test_a_question_has_a_limit(port: int) -> None:
    """What is too long is not read."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Content-Length": str(1 << 30)}
    connection.request("POST", "/convert", headers=headers)
    assert connection.getresponse().status == 413
    connection.close()


def test_files_are_read_again(tmp_path: Path) -> None:
    """A change of a schema gives another state, and the next page is about it."""
    root = build_project(tmp_path, THING_CONFIG, THING_FILES)
    explorer = Explorer(root, Wanted(examples=0))
    try:
        state = state_of(root)
        assert "spec/weight" not in explorer.page()
        text = (root / "v2.yaml").read_text()
        (root / "v2.yaml").write_text(text.replace("shade:", "weight:"))
        assert state_of(root) != state
        assert "spec/weight" in explorer.page()
        (root / "v2.yaml").write_text("type: [")
        assert "HA" in explorer.page()
    finally:
        explorer.close()


def test_files_of_other_folders_are_read_again(tmp_path: Path) -> None:
    """Those that the configuration names, and those that its patterns match now."""
    schemas = tmp_path / "schemas"
    files = {name: THING_FILES[name] for name in ("v1.yaml", "v2.yaml")}
    config = THING_CONFIG.replace("v1.yaml", "../schemas/v1.yaml")
    root = build_project(tmp_path / "project", THING_CONFIG, THING_FILES)
    schemas.mkdir()
    for name, text in files.items():
        (schemas / name).write_text(text)
    (root / "holdall.yaml").write_text(config)
    states = [state_of(root)]
    (schemas / "v2.yaml").write_text("# not named\n")
    assert state_of(root) == states[0]
    (schemas / "v1.yaml").write_text(files["v1.yaml"].replace("properties:", "properties :"))
    states.append(state_of(root))
    (root / "holdall.yaml").write_text(config.replace("schemas/v1.yaml", "schemas/v[1].yaml"))
    states.append(state_of(root))
    (root / "holdall.yaml").write_text("groups: [")
    states.append(state_of(root))
    assert len({*states}) == len(states)


def test_a_process_that_has_made_many_pages_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page leaves types behind in it, though no file has changed; questions leave none."""
    made: list[Pool] = []

    class Pool:
        """A process that answers everything with the same text."""

        def __init__(self, *_: object) -> None:
            self.ended = False
            made.append(self)

        def submit(self, *_: object) -> Future[str]:
            future: Future[str] = Future()
            future.set_result("page")
            return future

        def shutdown(self, **_: object) -> None:
            self.ended = True

    monkeypatch.setattr("holdall_codegen.explore.server.ProcessPoolExecutor", Pool)
    explorer = Explorer(tmp_path, Wanted(examples=0))
    for _ in range(100):
        explorer.convert({})
    assert len(made) == 1
    for _ in range(60):
        assert explorer.page() == "page"
    assert [pool.ended for pool in made] == [True, True, False]


def test_files_without_a_name_in_text(tmp_path: Path) -> None:
    """A name need not be text, and a link may lead to nothing: other files are watched all the
    same."""
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff.yaml", os.O_CREAT | os.O_WRONLY))
    (tmp_path / "link.yaml").symlink_to("nowhere")
    state = state_of(tmp_path)
    assert state_of(tmp_path) == state
    (tmp_path / "v1.yaml").write_text("a: 1")
    assert state_of(tmp_path) != state
