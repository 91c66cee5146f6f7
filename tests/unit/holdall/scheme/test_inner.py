"""Inner documents: converted with their holders, lossless, and kept where they cannot be."""

from __future__ import annotations

import hashlib
import itertools
import json
from functools import partial
from typing import Any

import pytest

from holdall.bulk.documents import Documents, Result
from holdall.carriers.reports import Lost, Report, loses
from holdall.explain.fates import fates
from holdall.inner.kept_texts import TEXT_ANNOTATION, take_kept_text
from holdall.review.reviewer import Reviewer
from holdall.scheme.json_lines import answer
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text import yaml
from holdall.types import JsonObject
from tests.support.projects import THING_FILES, build_project, scheme_of
from tests.support.reviews import body_of, converted
from tests.support.tables_kept import sizes_of_tables
from tests.support.work import steps_of

KEY = "things.example.com/config"

CONFIG = """
groups:
  things:
    api_group: example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: "", Box: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: "", Box: ""}}
      - {schemas: v2.yaml, version: v3, kinds: {Thing: "", Box: "", Crate: ""}}
    versions: [v1, v2, v3]
    inner_documents:
      - {in: [Box, v1/Service], annotation: things.example.com/config}
      - {in: [v1/ConfigMap], path: data/thing.json, format: json, folded: true, aliases: [things]}
      - {in: [Box], path: spec/labels/thing, format: json, versions: {v1: v2, v2: v1}}
"""

STREAM = """\
# What the box holds.
---
apiVersion: example.com/v1   # the old one
kind: Thing
metadata:
  name: a
spec:
  color: red   # only in v1
  size:  3
  parts:
  - name: "wheel"   # and its weight
    weight: 5
# Nobody knows this:
---
apiVersion: example.com/v1
kind: Unknown
---
kind: Thing
spec: {size: 1, color: blue}
apiVersion: example.com/v1
"""


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    root = build_project(tmp_path_factory.mktemp("inner"), CONFIG, THING_FILES)
    return scheme_of(root)


def box(text: str, version: str = "v1", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"example.com/{version}",
        "kind": "Box",
        "metadata": {"name": "b", "annotations": {KEY: text}},
        "spec": spec,
    }


def read(text: str) -> list[Any]:
    return [document.value for document in yaml.load_all(text, "")]


def text_of(document: dict[str, Any]) -> str:
    found: str = document["metadata"]["annotations"][KEY]
    return found


@pytest.mark.parametrize("way", [["v2"], ["v3"], ["v2", "v3"], ["v3", "v2"]])
def test_there_and_back_is_the_same_text(scheme: Scheme, way: list[str]) -> None:
    source = current = box(STREAM)
    for version in way:
        current = scheme.convert(current, to=version)
        assert f"apiVersion: example.com/{version}   # the old one" in text_of(current)
    assert scheme.convert(current, to="v1") == source


def test_a_chain_is_its_steps(scheme: Scheme) -> None:
    """Straight to a version, or over others: the same bytes."""
    for start, over, end in (("v1", "v2", "v3"), ("v3", "v2", "v1"), ("v2", "v1", "v3")):
        source = scheme.convert(box(STREAM), to=start)
        steps = scheme.convert(scheme.convert(source, to=over), to=end)
        assert steps == scheme.convert(source, to=end)
        text = json.dumps(source).encode()
        assert json.loads(scheme.convert_bytes(text, to=end)) == steps
        assert json.dumps(source).encode() == text, "the source was changed"


def test_what_did_not_change_keeps_formatting_and_comments(scheme: Scheme) -> None:
    report: list[Any] = []
    there = text_of(scheme.convert(box(STREAM), to="v2", report=report))
    assert there.startswith(
        "# What the box holds.\n---\napiVersion: example.com/v2   # the old one\n"
    )
    assert "\n  size:  3\n" in there
    assert "color" not in read(there)[0]["spec"]
    assert "\n# Nobody knows this:\n---\napiVersion: example.com/v1\nkind: Unknown\n---\n" in there
    place = "/metadata/annotations/things.example.com~1config"
    unknown = "unknown apiVersion and kind example.com/v1 Unknown; it is kept as it is"
    assert [str(item) for item in report] == [f"{place}: not read: document 2: {unknown}"]


def test_an_edit_stands_and_nothing_else_moves(scheme: Scheme) -> None:
    there: Any = scheme.convert(box(STREAM), to="v2")
    edited = text_of(there).replace("\n  size:  3\n", "\n  size: 7\n")
    there["metadata"]["annotations"][KEY] = edited
    back = text_of(scheme.convert(there, to="v1"))
    before = read(STREAM)
    before[0]["spec"]["size"] = 7
    assert [take_kept_text(item)[0] for item in read(back)] == before
    # The document that nobody edited has its own text.
    assert back.endswith(STREAM[STREAM.rindex("---\nkind: Thing") :])
    # What was edited comes back as it is from wherever it goes, without the text of before.
    again = text_of(scheme.convert(scheme.convert(there, to="v3"), to="v2"))
    kept = next(line for line in edited.splitlines(keepends=True) if TEXT_ANNOTATION in line)
    assert again == edited.replace(kept, "", 1)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    "spec", ["spec:\n  size: 3\n  color: red", "spec: {size: 3}"], ids=["block", "flow"]
)
def test_a_document_may_follow_one_that_ended_without_a_line_break(
    scheme: Scheme, spec: str, end: str
) -> None:
    """The text of the last document comes back above the new one, on lines of its own."""
    first = f"apiVersion: example.com/v1   # old\nkind: Thing\nmetadata: {{name: a}}\n{spec}"
    first = first.replace("\n", end)
    there: Any = scheme.convert(box(first), to="v2")
    new = f"---{end}apiVersion: example.com/v2{end}kind: Thing{end}spec: {{size: 1}}"
    there["metadata"]["annotations"][KEY] = yaml.ended(text_of(there), end) + new
    back = text_of(scheme.convert(there, to="v1"))
    assert back.startswith(f"{first}{end}---{end}apiVersion: example.com/v1{end}")
    assert [item["spec"]["size"] for item in read(back)] == [3, 1]


def test_a_document_of_another_version_than_its_holder(scheme: Scheme) -> None:
    """It has the version of its holder wherever that goes, and its own when it is back."""
    for own in ("v1", "v2", "v3"):
        text = f"{{apiVersion: example.com/{own}, kind: Thing, spec: {{size: 1}}}}\n"
        for start, end in itertools.permutations(("v1", "v2", "v3"), 2):
            source = box(text, start)
            there: Any = scheme.convert(source, to=end)
            (document,) = read(text_of(there))
            assert document["apiVersion"] == f"example.com/{end}"
            assert scheme.convert(there, to=start) == source, (own, start, end)


def test_a_kind_that_a_version_lacks_stays_and_is_reported(scheme: Scheme) -> None:
    text = "kind: Crate\napiVersion: example.com/v3\nspec: {size: 1}  # one\n"
    for way in (["v1"], ["v2", "v1"], ["v1", "v2"]):
        current, report = box(text, "v3"), list[Any]()
        for version in way:
            current = scheme.convert(current, to=version, report=report)
            (document,) = read(text_of(current))
            assert document["apiVersion"] == "example.com/v3"
        assert f"example.com/v3 Crate does not exist in {way[0]}" in str(report[0])
        assert scheme.convert(current, to="v3") == box(text, "v3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "line 1: malformed YAML"),
        ("a: 1\na: 2\n", 'the key "a" appears twice'),
        ("a: yes\n", "line 1"),
        ("a: .nan\n", "line 1"),
        ("a: 1e999\n", "line 1"),
        ("a: !!python/object:os.system x\n", "line 1"),
        ("a: &a [*a]\n", "inside its own anchor"),
        ("a: \x00\n", "not allowed in YAML"),
        ("[" * 600 + "]" * 600, "nested deeper"),
        ("a: 1\n...\nb: 2\n", "expected <document start>"),
        ("a: 1\r---\rb: 2\r", "does not begin with a line ---"),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", "expected <document start>"),
        ("--- null\n", "a document in it is null"),
        ("- a\n", "document 1: expected object, found list"),
        ("a: 1\n", "document 1: unknown apiVersion and kind None None"),
        ("{apiVersion: 1, kind: [x]}", "unknown apiVersion and kind 1 ['x']"),
        ("apiVersion: example.com/v9\nkind: Thing", "unknown apiVersion and kind"),
        ("apiVersion: example.com/v1\nkind: Thing\nspec: 3\n", "cannot be converted"),
        ("# " + "x" * 1024 * 1024, "longer than 1048576 bytes"),
    ],
)
def test_bad_text_is_kept_and_reported(scheme: Scheme, text: str, said: str) -> None:
    source, report = box(text), list[Any]()
    there: Any = scheme.convert(source, to="v2", report=report)
    assert text_of(there) == text or "cannot be converted" in said
    assert said in str(report[0])
    assert scheme.convert(there, to="v1") == source


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n---\n"])
def test_a_text_without_documents_is_no_mistake(scheme: Scheme, text: str) -> None:
    report = list[Any]()
    assert text_of(scheme.convert(box(text), to="v2", report=report)) == text
    assert not report


def test_aliases_multiply_nothing(scheme: Scheme) -> None:
    """A bomb in one document, or a part of it in each of many, is refused before it expands."""
    lines = ["a0: &a0 [" + ", ".join(["x"] * 10) + "]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 18)]
    small = "apiVersion: example.com/v1\nkind: Thing\nspec:\n  x:\n  - &a [" + "x, " * 300 + "]\n"
    many = "---\n" + small + "  - *a\n" * 30

    def refuse(text: str) -> None:
        report = list[Any]()
        assert text_of(scheme.convert(box(text), to="v2", report=report)) == text
        assert "expand to more than 100000 nodes" in str(report[0])

    for text, larger in (("\n".join(lines[:9]), "\n".join(lines)), (many * 40, many * 80)):
        assert steps_of(partial(refuse, larger)) < 2 * steps_of(partial(refuse, text))


def test_shared_nodes_become_independent_and_come_back(scheme: Scheme) -> None:
    text = "apiVersion: example.com/v1\nkind: Thing\nspec:\n  labels: &l {a: b}\n"
    text += "  box: {<<: *l, c: d}\n"
    there: Any = scheme.convert(box(text), to="v2")
    assert read(text_of(there))[0]["spec"] == {"labels": {"a": "b"}}
    assert scheme.convert(there, to="v1") == box(text)


@pytest.mark.parametrize("value", [None, 3, ["a"], {"a": 1}])
def test_what_is_no_text_is_left_alone(scheme: Scheme, value: Any) -> None:
    assert text_of(scheme.convert(box(value), to="v2")) == value
    others: list[Any] = [None, {"name": "b"}, {"annotations": None}, {"annotations": []}]
    for metadata in others:
        source = {**box(""), "metadata": metadata}
        assert scheme.convert(source, to="v2")["metadata"] == metadata


@pytest.mark.parametrize(
    "kept",
    [
        "x",
        "{}",
        '{"at": "v1", "text": 3}',
        '{"at": "v1", "text": "apiVersion: example.com/v1\\nkind: Thing\\nspec: {size: 9}\\n"}',
        '{"at": "v9", "text": "a: ["}',
        '{"at": "v2", "text": "a: b\\n---\\na: b\\n"}',
        "zlib:AAAA",
    ],
)
def test_a_forged_text_changes_nothing(scheme: Scheme, kept: str) -> None:
    """A kept text that does not give what is there is not used; live values always win."""
    head = "apiVersion: example.com/v2\nkind: Thing\n"
    text = f"{head}metadata: {{annotations: {{{TEXT_ANNOTATION}: {json.dumps(kept)}}}}}\n"
    text += "spec: {size: 1}\n"
    for end in ("v1", "v3"):
        there: Any = scheme.convert(box(text, "v2"), to=end)
        (document,) = read(text_of(there))
        assert document["spec"] == {"size": 1}
        (back,) = read(text_of(scheme.convert(there, to="v2")))
        assert back["spec"] == {"size": 1}


def test_documents_without_room_for_a_mark(scheme: Scheme) -> None:
    text = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {annotations: 3}\nspec: {size: 1}\n"
    report = list[Any]()
    there: Any = scheme.convert(box(text), to="v2", report=report)
    assert "its formatting will not come back" in str(report[0])
    (back,) = read(text_of(scheme.convert(there, to="v1")))
    assert back == read(text)[0]


def test_what_a_document_loses_is_lost(scheme: Scheme) -> None:
    """Without a place for its bag and its text nothing brings it back, and that is counted."""
    text = "apiVersion: example.com/v1\nkind: Thing\nmetadata: none\nspec: {color: red, size: 1}\n"
    report: Report = []
    scheme.convert(box(text), to="v2", report=report)
    assert loses(report)
    assert [str(item) for item in report if isinstance(item, Lost)] == [
        "/metadata/annotations/things.example.com~1config: v1/color is lost:"
        " document 1: /spec: metadata is a string and cannot carry annotations"
    ]
    reviewed = Reviewer([scheme]).review(body_of([box(text)], "example.com/v2"))
    assert [len(one.entries) for one in reviewed.degradations] == [1]


@pytest.mark.parametrize(("kind", "fate"), [("Thing", "v2: converted"), ("Other", "copied")])
def test_fates_say_that_a_text_is_rewritten(scheme: Scheme, kind: str, fate: str) -> None:
    """Its documents are converted after the last edge."""
    text = f"apiVersion: example.com/v1\nkind: {kind}\nspec: {{size: 1}}\n"
    found = {item.path: item.fate for item in fates(box(text), scheme, "v2")}
    assert fate.endswith(found["/metadata/annotations/things.example.com~1config"])


def test_annotations_that_would_be_too_large_keep_their_text(scheme: Scheme) -> None:
    words = "\n".join(f"    w{n}: {hashlib.sha256(b'%d' % n).hexdigest()}" for n in range(2800))
    text = f"apiVersion: example.com/v1\nkind: Thing\nspec:\n  color: red\n  labels:\n{words}\n"
    assert 200_000 < len(text) < 262_144
    report = list[Any]()
    assert text_of(scheme.convert(box(text), to="v2", report=report)) == text
    assert "the annotations would be longer than 262144 bytes" in str(report[0])


def test_documents_inside_inner_documents_are_left_alone(scheme: Scheme) -> None:
    inner = box("apiVersion: example.com/v1\nkind: Thing\nspec: {color: red}\n")
    text = yaml.dump(inner)
    (document,) = read(text_of(scheme.convert(box(text), to="v2")))
    assert document["apiVersion"] == "example.com/v2"
    assert document["metadata"]["annotations"][KEY] == text_of(inner)


# --- members, JSON, versions by name ---


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_a_member_with_json(scheme: Scheme, indent: int | None) -> None:
    """`versions` says that a Box v1 has documents of v2, and a Box v2 those of v1."""
    thing = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"shade": 3, "size": 1}}
    for text in (json.dumps(thing, indent=indent), json.dumps(thing, indent=indent) + "\n"):
        source = box("", labels={"thing": text, "other": text})
        there: Any = scheme.convert(source, to="v2")
        found = json.loads(there["spec"]["labels"]["thing"])
        assert (found["apiVersion"], found["spec"]) == ("example.com/v1", {"size": 1})
        assert there["spec"]["labels"]["other"] == text
        assert scheme.convert(there, to="v1") == source


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', "NaN", '{"a": NaN}', "[1", "1e999", "[" * 600 + "]" * 600, "[]"]
)
def test_bad_json_is_kept_and_reported(scheme: Scheme, text: str) -> None:
    source, report = box("", labels={"thing": text}), list[Any]()
    assert scheme.convert(source, to="v2", report=report)["spec"] == source["spec"]
    assert str(report[0]).startswith("/spec/labels/thing: not read: ")


# --- holders of no kind of the project ---


def service(text: str) -> dict[str, Any]:
    metadata = {"name": "s", "annotations": {KEY: text, "other": text}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": []}}


def test_a_foreign_holder_stays_what_it_is(scheme: Scheme) -> None:
    source = service(STREAM)
    for to in ("v2", "example.com/v3"):
        there: Any = scheme.convert(source, to=to)
        assert {**there, "metadata": source["metadata"]} == source
        assert f"apiVersion: example.com/{to[-2:]}   # the old one" in text_of(there)
        assert there["metadata"]["annotations"]["other"] == STREAM
        assert scheme.convert(there, to="v1") == source
        data = json.dumps(source).encode()
        assert json.loads(scheme.convert_bytes(data, to=to)) == there
        edited = service(text_of(there).replace("\n  size:  3\n", "\n  size: 4\n"))
        assert scheme.convert(edited, to=to) == edited, "it has that version already"
    for to in ("v9", "other.example.com/v2"):
        assert scheme.convert(source, to=to) == source


def test_a_foreign_holder_has_no_versions_to_be_asked_for(scheme: Scheme) -> None:
    """Whatever version it is asked for, nothing about it is kept, and a review says no."""
    reviewer, source = Reviewer([scheme]), service(STREAM)
    scheme.convert(source, to="v2")
    before = sizes_of_tables(scheme, reviewer)
    for to in ("v9", "word", "other.example.com/v2"):
        assert scheme.convert(source, to=to) == source
        reviewed = reviewer.review(body_of([source], to))
        assert reviewed.message, "the object would not be of that version"
    assert sizes_of_tables(scheme, reviewer) == before
    assert not reviewer.review(body_of([source], "v1")).message


def test_folded_documents_of_a_group_with_another_name(scheme: Scheme) -> None:
    thing = {"apiVersion": "things/v1", "kind": "Thing", "name": "a", "color": "red", "size": 2}
    source = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "data": {"thing.json": json.dumps({**thing, "metadata_labels": {"a": "b"}})},
    }
    there: Any = scheme.convert(source, to="v2")
    found = json.loads(there["data"]["thing.json"])
    ours = found.pop("metadata")["annotations"]
    assert found == {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "name": "a",
        "metadata_labels": {"a": "b"},
        "size": 2,
    }
    assert ours.keys() == {TEXT_ANNOTATION, "holdall.dev/bag"}
    assert scheme.convert(there, to="v1") == source


def test_a_project_knows_the_holders_of_its_groups(scheme: Scheme) -> None:
    schemes = Schemes([scheme])
    assert schemes.knows(service(STREAM))
    assert not schemes.knows({"apiVersion": "v2", "kind": "Service"})
    assert schemes.target("v1", "Service", to="v2") == ("v1", "Service")


def test_a_review(scheme: Scheme) -> None:
    """The objects of a review have their texts converted, and what is kept is told."""
    objects = [box(STREAM), box("a: [")]
    reviewed = Reviewer([scheme]).review(body_of(objects, "example.com/v2"))
    assert converted(reviewed.body)[0] == scheme.convert(objects[0], to="v2")
    unused = [(one.index, str(item)) for one in reviewed.unused for item in one.entries]
    assert [(index, text.partition(":")[0]) for index, text in unused] == [
        (0, "/metadata/annotations/things.example.com~1config"),
        (1, "/metadata/annotations/things.example.com~1config"),
    ]


def test_documents_in_bulk(scheme: Scheme) -> None:
    """A foreign holder is converted even if its own version stays."""
    documents = Documents(Schemes([scheme]), "v2")
    result = documents.convert(json.dumps(service(STREAM)).encode())
    there = json.loads(result.document)
    assert there == scheme.convert(service(STREAM), to="v2")
    assert result.outcome == "lossy", "document 2 is of an unknown kind, and that is told"
    back = Documents(Schemes([scheme]), "v1").convert(result.document)
    assert json.loads(back.document) == service(STREAM)


@pytest.mark.parametrize("beside", [False, True])
def test_what_leads_a_foreign_holder_back(scheme: Scheme, beside: bool) -> None:
    """The version that all its documents had, if there is one: its own does not tell."""

    def convert(document: JsonObject, to: str) -> Result:
        left = {name: it for name, it in document.items() if not beside or name != "kind"}
        kind = "Service" if beside else ""
        return Documents(Schemes([scheme]), to).convert(json.dumps(left).encode(), kind)

    def of(text: bytes, name: str) -> Any:
        return json.loads(text)[name]

    def written(*versions: str) -> JsonObject:
        texts = [f"---\napiVersion: example.com/{it}\nkind: Thing\nspec: {{}}\n" for it in versions]
        return service("".join(texts))

    source = written("v1", "v1")
    there = convert(source, "v2")
    assert (there.outcome, there.before) == ("converted", "example.com/v1"), there.fault
    assert of(there.document, "metadata") == scheme.convert(source, to="v2")["metadata"]
    back = convert({**service(""), **json.loads(there.document)}, there.before)
    assert of(back.document, "metadata") == source["metadata"]
    again = convert({**service(""), **json.loads(there.document)}, "v2")
    assert (again.outcome, again.before) == ("unchanged", "example.com/v2")
    assert json.loads(again.document) == json.loads(there.document)
    mixed = convert(written("v1", "v3"), "v2")
    assert (mixed.outcome, mixed.before) == ("converted", "")


def test_requests_line_by_line(scheme: Scheme) -> None:
    line = json.dumps({"to": "v2", "object": service(STREAM)}).encode()
    found = json.loads(answer(Schemes([scheme]), line))
    assert found["object"] == scheme.convert(service(STREAM), to="v2")
    assert "it is kept as it is" in found["warnings"][0]
