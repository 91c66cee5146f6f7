"""The page as text: nothing in it can become markup, and only its own script runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from holdall_codegen.explore.model import Wanted, project_model
from holdall_codegen.explore.page import page
from holdall_codegen.project import load_project
from tests.support.exploring import HOSTILE, hostile_project


class Elements(HTMLParser):
    """The elements of a page, with the texts of those that hold no elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", {}))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        if tag in ("script", "style"):
            key = f"{tag} {attributes.get('type', '')}".strip()
            self.texts[key] = self.texts.get(key, "") + data


def model(**members: Any) -> Any:
    empty = {"project": "p", "groups": [], "objects": []}
    return {**empty, **members}


def test_hostile_names_stay_data(tmp_path: Path) -> None:
    """A page with hostile names has the elements of any page, and its model is what was given."""
    found = project_model(load_project(hostile_project(tmp_path)), Wanted(examples=0))
    text = page(found)
    assert [tag for tag, _ in Elements(text).tags] == [
        tag for tag, _ in Elements(page(model())).tags
    ]
    read = json.loads(Elements(text).texts["script application/json"])
    assert read == {**json.loads(json.dumps(found)), "live": False}
    assert HOSTILE[0] in json.dumps(read, ensure_ascii=False)
    data = text[text.index('id="model">') :].partition("</script>")[0]
    assert not re.search("[<>&\u2028\u2029]", data.partition(">")[2])


def test_a_title_is_escaped() -> None:
    """The name of a folder stands in the title."""
    assert "<title>&lt;b&gt;&amp;: holdall explore</title>" in page(model(project="<b>&"))


def test_only_the_own_script_runs() -> None:
    """The policy names the hashes of the script and the style, and no place to ask or to load."""
    elements = Elements(page(model()))
    policy = next(a["content"] for tag, a in elements.tags if a.get("http-equiv"))
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for name, key in (("script-src", "script module"), ("style-src", "style")):
        digest = hashlib.sha256(elements.texts[key].encode()).digest()
        assert rules[name] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert not [a for _, a in elements.tags if "src" in a or any(n.startswith("on") for n in a)]


def test_a_live_page_may_ask_its_server() -> None:
    """And nobody else."""
    assert "connect-src 'self'" in page(model(), live=True)


def test_no_address_is_in_the_page() -> None:
    """The page needs no network."""
    text = page(model())
    assert not re.search(r"https?://", text)
