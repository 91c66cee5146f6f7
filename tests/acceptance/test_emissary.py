"""Emissary's three versions: the scorer on real cases, and the rules that no real case shows.

The tables below are written from the text of the rules R-* of the data's README.
"""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from holdall_codegen.project import load_project
from tests.support.checkers import mypy_says
from tests.support.emissary import PROJECT, assert_score, converter_of, own_environment, scored
from tests.support.projects import write_generated

Json = dict[str, Any]
GROUP = "getambassador.io"
P = "--apiVersion-v3alpha1-only--"
S = "_skip_mapping_with_empty_host_"
DEFAULT = [P + "default"]


class Converter:
    """The command as the scorer runs it: a request per line, an answer per line."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)

    def convert(self, document: Json, to: str) -> Json:
        """Return the converted document."""
        if self._process.stdin is None or self._process.stdout is None:
            raise TypeError("the command has no pipes")
        self._process.stdin.write(json.dumps({"to": to, "object": document}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "object" in answer, answer
        converted: Json = answer["object"]
        return converted

    def spec(self, kind: str, spec: Json, start: str, end: str) -> Json:
        """Return the spec of an object of one version in another one."""
        return without_ids(self.convert(thing(kind, start, spec), end)["spec"])

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def project(emissary_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Emissary project, generated in a temporary folder."""
    root: Path = tmp_path_factory.mktemp("emissary")
    (root / "schemas").symlink_to(emissary_data / "schemas" / "internal")
    shutil.copy(PROJECT / "holdall.yaml", root)
    shutil.copytree(PROJECT / "hooks", root / "hooks")
    write_generated(load_project(root))
    return root


@pytest.fixture(scope="module")
def converter(project: Path) -> Iterator[Converter]:
    """One running converter for all tests of this module."""
    running = Converter(converter_of(project), own_environment())
    yield running
    running.close()


@scored
def test_the_scorer_passes(mode: list[str], emissary_data: Path, project: Path) -> None:
    """All visible cases match, and all round trips are exact."""
    assert_score(mode, emissary_data, project)


@pytest.mark.slow
def test_mypy_passes_the_hooks(project: Path) -> None:
    """The hooks pass `mypy --strict` against the generated protocols."""
    assert mypy_says(project, "hooks") == ""


def thing(kind: str, version: str, spec: Json) -> Json:
    """Return an object with a spec."""
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {}, "spec": spec}


def without_ids(spec: Json) -> Json:
    """Return a spec without the default id that R-AID gives every object of v1 and v2."""
    return {k: v for k, v in spec.items() if k != "ambassador_id" or v != DEFAULT}


TLS_UP: list[tuple[Json, Json]] = yaml.safe_load("""
- [{tls: ctx, service: x}, {tls: ctx, service: x, v2ExplicitTLS: {}}]
- [{tls: ctx}, {tls: ctx, v2ExplicitTLS: {}}]
- [{service: x}, {service: x}]
- [{service: HTTPS://x}, {service: HTTPS://x}]
- [{tls: true, service: HttpS://x}, {service: HttpS://x, v2ExplicitTLS: {tls: bool:true}}]
- [{tls: true, service: x},
  {service: https://x, v2ExplicitTLS: {serviceScheme: "", tls: bool:true}}]
- [{tls: true, service: Http://x},
  {service: https://x, v2ExplicitTLS: {serviceScheme: Http://, tls: bool:true}}]
- [{tls: true}, {service: https://, v2ExplicitTLS: {serviceScheme: "", tls: bool:true}}]
- [{tls: false, service: x}, {service: x, v2ExplicitTLS: {tls: bool:false}}]
- [{tls: false, service: https://x}, {service: https://x, v2ExplicitTLS: {tls: bool:false}}]
- [{tls: "", service: x}, {service: x, v2ExplicitTLS: {tls: string}}]
- [{tls: null, service: x}, {service: x, v2ExplicitTLS: {tls: "null"}}]
""")

TLS_DOWN: list[tuple[Json, Json]] = yaml.safe_load("""
- [{tls: ctx, service: x}, {tls: ctx, service: x}]
- [{tls: "", service: x}, {service: x}]
- [{service: x, v2ExplicitTLS: {tls: "null"}}, {tls: null, service: x}]
- [{service: x, v2ExplicitTLS: {tls: bool:false}}, {tls: false, service: x}]
- [{service: x, v2ExplicitTLS: {tls: string}}, {tls: "", service: x}]
- [{service: x, v2ExplicitTLS: {tls: bool:true}}, {service: x}]
- [{service: x, v2ExplicitTLS: {tls: else}}, {service: x}]
- [{service: https://x, v2ExplicitTLS: {tls: bool:true}}, {tls: true, service: https://x}]
- [{service: https://x, v2ExplicitTLS: {tls: bool:true, serviceScheme: ""}},
  {tls: true, service: x}]
- [{service: https://, v2ExplicitTLS: {tls: bool:true, serviceScheme: ""}}, {tls: true}]
- [{tls: ctx, service: x, v2ExplicitTLS: {serviceScheme: https://}},
  {tls: ctx, service: https://x}]
- [{service: https://x, v2ExplicitTLS: {serviceScheme: HTTPS://}}, {service: HTTPS://x}]
- [{service: https://x, v2ExplicitTLS: {serviceScheme: http://}}, {service: https://x}]
- [{service: x, v2ExplicitTLS: {serviceScheme: HTTP://}}, {service: HTTP://x}]
""")


def served(spec: Json, kind: str) -> Json:
    """Return a spec about `service` for a kind, with what R-MAPHOST adds in v3alpha1."""
    name = "auth_service" if kind == "AuthService" else "service"
    return {name if key == "service" else key: value for key, value in spec.items()}


TLS_KINDS = ("AuthService", "RateLimitService", "Mapping")


@pytest.mark.parametrize("kind", TLS_KINDS)
@pytest.mark.parametrize(("older", "newer"), TLS_UP)
def test_tls_up(older: Json, newer: Json, kind: str, converter: Converter) -> None:
    """R-TLS towards v3alpha1, for each kind that has it."""
    host = {"hostname": "*"} if kind == "Mapping" else {}
    made = converter.spec(kind, served(older, kind), "v2", "v3alpha1")
    assert made == {**served(newer, kind), **host}


@pytest.mark.parametrize("kind", TLS_KINDS)
@pytest.mark.parametrize(("newer", "older"), TLS_DOWN)
def test_tls_down(newer: Json, older: Json, kind: str, converter: Converter) -> None:
    """R-TLS towards v2 and v1; bridges that contradict the live values are ignored."""
    host = {"hostname": "*"} if kind == "Mapping" else {}
    spec = {**served(newer, kind), **host}
    for version in ("v2", "v1"):
        assert converter.spec(kind, spec, "v3alpha1", version) == served(older, kind)


UP: list[tuple[str, Json, Json]] = yaml.safe_load("""
- [TCPMapping, {tls: ctx, service: x}, {tls: ctx, service: x}]
- [TCPMapping, {tls: true, service: http://x},
  {service: https://x, v2ExplicitTLS: {tls: bool:true}}]
- [Host, {ambassadorId: [--apiVersion-v3alpha1-only--b, a]}, {ambassador_id: [b, a]}]
- [Host, {ambassador_id: [a, --apiVersion-v3alpha1-only--b], ambassadorId: [a, c]},
  {ambassador_id: [a, b, a, c]}]
- [Module, {ambassador_id: a}, {ambassador_id: [a]}]
- [Host, {selector: {matchLabels: {a: b, c: d}}}, {mappingSelector: {matchLabels: {a: b, c: d}}}]
- - TracingService
  - {tag_headers: [a, b]}
  - {custom_tags: [{tag: a, request_header: {name: a}}, {tag: b, request_header: {name: b}}]}
- [TracingService, {tag_headers: [a], v3CustomTags: [{tag: x, literal: {value: y}}]},
  {custom_tags: [{tag: x, literal: {value: y}}]}]
- - Mapping
  - {headers: {b: true, a: true, c: text, d: true}, regex_headers: {d: own, e: other},
    query_parameters: {q: true, p: true}}
  - {headers: {c: text}, regex_headers: {a: .*, b: .*, d: own, e: other},
    v2BoolHeaders: [a, b, d], regex_query_parameters: {p: .*, q: .*},
    v2BoolQueryParameters: [p, q], hostname: "*"}
- - Mapping
  - {add_request_headers: {a: "1", b: "2", c: "", d: null, e: {append: false}}}
  - add_request_headers: {a: {value: "1", v2Representation: string},
      b: {value: "2", v2Representation: string}, c: {v2Representation: string},
      d: {v2Representation: "null"}, e: {append: false}}
    hostname: "*"
- [Mapping, {cors: {origins: "a, b,c"}, host: ""},
  {cors: {origins: [a, " b", c], v2CommaSeparatedOrigins: true}, hostname: "*"}]
- - Mapping
  - host: _skip_mapping_with_empty_host_
    labels:
      one:
        - g: [remote_address, text, {generic_key: text}]
          h: [{k: {header: H, omit_if_not_present: true}}, {generic_key: {header: G}}, null, {}]
        - {i: [source_cluster, destination_cluster]}
      two: [{j: [{generic_key: text, v3Key: key}]}]
  - labels:
      one:
        - g: [{remote_address: {key: remote_address}},
            {generic_key: {value: text, v2Shorthand: true}}, {generic_key: {value: text}}]
          h: [{request_headers: {key: k, header_name: H, omit_if_not_present: true}},
            {request_headers: {key: generic_key, header_name: G}}, {}, {}]
        - i: [{source_cluster: {key: source_cluster}},
            {destination_cluster: {key: destination_cluster}}]
      two: [{j: [{generic_key: {value: text, key: key}}]}]
- [Mapping, {host: h.*, host_regex: true}, {host: h.*, host_regex: true}]
- [Mapping, {host: h, host_regex: false}, {hostname: h, host_regex: false}]
""")


@pytest.mark.parametrize(("kind", "older", "newer"), UP)
def test_up(kind: str, older: Json, newer: Json, converter: Converter) -> None:
    """The other rules towards v3alpha1, with two and more entries in each container."""
    assert converter.spec(kind, older, "v2", "v3alpha1") == newer


DOWN: list[tuple[str, Json, Json]] = yaml.safe_load("""
- [TCPMapping, {service: http://x}, {service: x}]
- [TCPMapping, {service: https://x, tls: ctx}, {service: x, tls: ctx}]
- [TCPMapping, {service: https://x}, {service: https://x}]
- [TCPMapping, {service: https://x, v2ExplicitTLS: {tls: bool:true}}, {service: x, tls: true}]
- [Module, {ambassador_id: [a, --apiVersion-v3alpha1-only--b]},
  {ambassador_id: [--apiVersion-v3alpha1-only--a, --apiVersion-v3alpha1-only--b]}]
- [Module, {ambassador_id: []}, {}]
- [Module, {}, {}]
- - TracingService
  - {tag_headers: [a, b]}
  - {v3CustomTags: [{tag: a, request_header: {name: a}}, {tag: b, request_header: {name: b}}]}
- [Mapping, {}, {host: _skip_mapping_with_empty_host_}]
- [Mapping, {host_regex: true}, {host_regex: true}]
- [Mapping, {host: h, host_regex: true}, {host: h, host_regex: true}]
- [Mapping, {host: h, hostname: n, host_regex: true}, {host: n, host_regex: false}]
- [Mapping, {hostname: "*", host: h}, {}]
- [Mapping, {host: "*", host_regex: true}, {host: "*", host_regex: true}]
- - Mapping
  - {hostname: "*", headers: {d: live}, regex_headers: {a: .*, b: own, d: .*},
    v2BoolHeaders: [a, b, c, d]}
  - {headers: {a: true, b: true, d: live}, regex_headers: {b: own, d: .*}}
- - Mapping
  - hostname: "*"
    add_response_headers: {a: {value: "1", v2Representation: string},
      b: {value: "2", append: true, v2Representation: string},
      c: {value: "3", v2Representation: "null"}, d: {v2Representation: string}}
  - {add_response_headers: {a: "1", b: {value: "2", append: true}, c: {value: "3"}, d: ""}}
- - Mapping
  - hostname: "*"
    labels:
      one:
        - g: [{generic_key: {value: v, key: k, v2Shorthand: true}},
            {generic_key: {value: v}, remote_address: {key: r}}, {}]
  - {labels: {one: [{g: [{generic_key: v, v3Key: k}, r, null]}]}}
""")


@pytest.mark.parametrize(("kind", "newer", "older"), DOWN)
def test_down(kind: str, newer: Json, older: Json, converter: Converter) -> None:
    """The other rules towards v2; empty maps that a rule has emptied are dropped."""
    assert converter.spec(kind, newer, "v3alpha1", "v2") == older


LOST_UPSTREAM: list[tuple[str, str, Json]] = yaml.safe_load("""
- [v3alpha1, Mapping, {labels: {d: [{g: [{generic_key: {value: v, key: k}}]}]}}]
- - v3alpha1
  - Mapping
  - {labels: {d: [{g: [{generic_key: {value: remote_address, v2Shorthand: true}}]}]}}
- [v3alpha1, Host, {selector: {matchLabels: {a: b}}, mappingSelector: {}}]
- [v3alpha1, Host, {selector: {matchLabels: {a: b}}}]
- [v2, Mapping, {headers: {a: false, b: null, c: d, e: true}}]
- [v2, Mapping, {query_parameters: {a: null}}]
- [v2, Mapping, {labels: {d: [{g: [{a: {header: A}, b: {header: B}}]}]}}]
- [v2, Mapping, {headers: {a: true}, regex_headers: {a: .*}}]
- [v3alpha1, Mapping, {host: h}]
- [v3alpha1, Mapping, {host: h, hostname: n}]
- [v3alpha1, Mapping, {hostname: n, host_regex: true}]
- [v2, Mapping, {host: "*"}]
- [v3alpha1, TCPMapping, {service: http://x}]
- [v3alpha1, Mapping, {cors: {origins: ["a,b", c], v2CommaSeparatedOrigins: true}}]
- [v2, TracingService, {tag_headers: [a], v3CustomTags: [{tag: b}]}]
- [v3alpha1, TracingService, {tag_headers: [a, b]}]
- [v3alpha1, Mapping, {v2BoolHeaders: [a], v2ExplicitTLS: {tls: bool:true}}]
- [v3alpha1, Module, {}]
- [v2, Host, {ambassador_id: [a], ambassadorId: [b, b]}]
- [v2, Module, {ambassador_id: a}]
- [v2, Mapping, {cors: {methods: GET}, remove_request_headers: a}]
""")


@pytest.mark.parametrize(("start", "kind", "spec"), LOST_UPSTREAM)
def test_nothing_is_lost(start: str, kind: str, spec: Json, converter: Converter) -> None:
    """What upstream loses or respells comes back exactly, over one version and over two."""
    document = thing(kind, start, spec)
    for stops in (["v1"], ["v2"], ["v3alpha1"], ["v2", "v1"], ["v2", "v3alpha1"], ["v1", "v2"]):
        if kind == "Host" and "v1" in stops:
            continue
        current = document
        for stop in (*stops, start):
            current = converter.convert(current, stop)
        assert current == document, stops


# from, kind, spec, path of the edit at the other end, its value, what comes back
EDITS: list[tuple[str, str, Json, str, Any, Json]] = yaml.safe_load("""
- - v3alpha1
  - Mapping
  - {hostname: a, labels: {d: [{g: [{}, {generic_key: {value: v, key: k}}]}]}}
  - labels/d/0/g/0
  - {x: {header: X}}
  - hostname: a
    labels:
      d: [{g: [{request_headers: {key: x, header_name: X}}, {generic_key: {value: v, key: k}}]}]
- [v2, Mapping, {headers: {a: false, b: c}}, headers/b, edited, {headers: {a: false, b: edited}}]
- [v3alpha1, TCPMapping, {service: http://x}, service, y, {service: y}]
- [v3alpha1, Mapping, {host: h}, host, other, {hostname: other}]
- [v3alpha1, Host, {selector: {matchLabels: {a: b}}}, selector, {matchLabels: {a: c}},
  {mappingSelector: {matchLabels: {a: c}}}]
- [v3alpha1, Host, {selector: {matchLabels: {a: b}}, mappingSelector: {matchLabels: {c: d}}},
  selector, {matchLabels: {c: e}},
  {selector: {matchLabels: {a: b}}, mappingSelector: {matchLabels: {c: e}}}]
""")


@pytest.mark.parametrize(("start", "kind", "spec", "path", "value", "back"), EDITS)
def test_an_edit_wins(
    start: str, kind: str, spec: Json, path: str, value: Any, back: Json, converter: Converter
) -> None:
    """An edit in between stands; what it does not contradict survives beside it."""
    end = "v2" if start == "v3alpha1" else "v3alpha1"
    there = converter.convert(thing(kind, start, spec), end)
    holder: Any = there["spec"]
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    for part in parents:
        holder = holder[part]
    holder[last] = value
    assert without_ids(converter.convert(there, start)["spec"]) == back


def test_a_kind_that_a_version_lacks_is_refused(converter: Converter) -> None:
    """v1 has no Host: neither reading nor writing one is possible."""
    for start, end in (("v1", "v2"), ("v2", "v1")):
        with pytest.raises(AssertionError, match="Host"):
            converter.convert(thing("Host", start, {}), end)


def some(*values: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a few literal values."""
    return st.sampled_from(values).map(copy.deepcopy)


def spec_of(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Return a strategy for any part of the members, each of which may be null too."""
    nullable = {name: st.none() | value for name, value in members.items()}
    return st.fixed_dictionaries({}, optional=nullable)


_KEYS = some("a", "b", "generic_key", "source_cluster")
_SERVICE = some("", "x", "http://x", "HTTPS://x", "https://")
_REGEXES = st.dictionaries(_KEYS, some(".*", "own"), max_size=3)
_MARKED = st.lists(_KEYS, max_size=3, unique=True)
_TEXTS = st.lists(some("a", "b,c", "", P + "a"), max_size=3)
_HOST = some("", "*", "h", S)
_SPELLINGS = some("null", "string", "bool:true", "bool:false", "?")


def _labels(label: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    groups = st.dictionaries(_KEYS, st.lists(label, max_size=3), max_size=2)
    return st.dictionaries(_KEYS, st.lists(groups, max_size=2), max_size=2)


_V2_LABEL = some(
    None,
    {},
    "a",
    "",
    "remote_address",
    {"generic_key": "a"},
    {"generic_key": "a", "v3Key": "k"},
    {"k": {"header": "H", "omit_if_not_present": False}},
    {"generic_key": {"header": "H"}},
    {"a": {"header": "A"}, "b": {"header": "B"}},
    {"a": 1},
)
_V3_LABEL = spec_of(
    source_cluster=spec_of(key=some("source_cluster", "a", "")),
    remote_address=spec_of(key=some("remote_address", "a")),
    request_headers=spec_of(
        key=some("k", ""), header_name=some("H"), omit_if_not_present=some(True)
    ),
    generic_key=spec_of(
        key=some("k", ""), value=some("a", "", "remote_address"), v2Shorthand=some(True, False)
    ),
)
_V2 = spec_of(
    ambassador_id=_TEXTS | some("a", P + "a", 1),
    tls=some(True, False, "", "ctx"),
    service=_SERVICE,
    host=_HOST,
    host_regex=some(True, False),
    headers=st.dictionaries(_KEYS, some(True, False, None, "x"), max_size=3),
    regex_headers=_REGEXES,
    add_request_headers=st.dictionaries(
        _KEYS, some("x", "", None, {}, {"value": "x"}, {"append": True}, 1), max_size=3
    ),
    remove_request_headers=_TEXTS | some("a"),
    cors=spec_of(origins=_TEXTS | some("a,b", ""), methods=some("GET", ["GET"])),
    labels=_labels(_V2_LABEL),
)
_V3 = spec_of(
    ambassador_id=_TEXTS,
    tls=some("", "ctx"),
    service=_SERVICE,
    v2ExplicitTLS=spec_of(tls=_SPELLINGS, serviceScheme=some("", "http://", "https://", "?")),
    host=_HOST,
    hostname=_HOST,
    host_regex=some(True, False),
    headers=st.dictionaries(_KEYS, some("x"), max_size=3),
    regex_headers=_REGEXES,
    v2BoolHeaders=_MARKED,
    add_request_headers=st.dictionaries(
        _KEYS,
        st.none()
        | spec_of(
            append=some(True), value=some("x", ""), v2Representation=some("null", "string", "")
        ),
        max_size=3,
    ),
    cors=spec_of(origins=_TEXTS, v2CommaSeparatedOrigins=some(True, False)),
    labels=_labels(_V3_LABEL),
)


@settings(max_examples=300)
@given(data=st.data())
def test_mappings_return_and_edits_stand(data: st.DataObject, converter: Converter) -> None:
    """Any Mapping comes back exactly; a member edited in between is shown after a further trip."""
    start, end = data.draw(some(("v2", "v3alpha1"), ("v3alpha1", "v2")))
    specs = {"v2": _V2, "v3alpha1": _V3}
    document = thing("Mapping", start, data.draw(specs[start]))
    there = converter.convert(document, end)
    assert converter.convert(there, start) == document
    edited = {**there, "spec": {**there["spec"], **data.draw(specs[end])}}
    again = converter.convert(converter.convert(edited, start), end)
    assert again["spec"] == edited["spec"]
