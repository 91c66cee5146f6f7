"""CustomResourceDefinitions: from the files of a source to the roots they declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdall.suggest import nearest
from holdall.text.documents import Scalars
from holdall.types import JsonValue, json_kind
from holdall.words import with_article
from holdall_codegen.config.keys import CrdSource
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node, Root, SourceFile
from holdall_codegen.read.problems import DEFINED_TWICE, NOT_A_CRD, OTHER_GROUP, Findings

_API_VERSIONS = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
_FIX = "see the Kubernetes reference of CustomResourceDefinition"


def read_crds(sources: Iterable[CrdSource], files: Files) -> list[Root]:
    """Return a root for every version of every CRD, files in sorted order.

    In a file that has a CRD, other Kubernetes objects are skipped. A file without a CRD is a
    finding, and so are CRDs of different groups, and anything that is not a Kubernetes object.
    """
    roots: list[Root] = []
    for crd in find_crds(sources, files):
        roots.extend(read_crd(crd, files.findings))
    groups = {root.api_group: root for root in reversed(roots)}
    if len(groups) > 1:
        first = roots[0]
        for group, root in sorted(groups.items()):
            if group != first.api_group:
                files.findings.add(
                    OTHER_GROUP,
                    root.node.location,
                    f'{root.kind} is of the group "{group}", but {first.kind} '
                    f'({first.node.location}) is of "{first.api_group}"',
                    "configure a group for each API group; in this one, write"
                    f" `group: {first.api_group}` beside `crds`",
                )
    return roots


def find_crds(sources: Iterable[CrdSource], files: Files) -> Iterator[Node]:
    """Yield all CRDs in the files of sources, including items of lists; files in sorted order."""
    read: dict[tuple[str, Scalars], list[Node]] = {}
    given: set[tuple[str, int, str]] = set()
    for source in sources:
        found: list[Node] = []
        for name in files.find(source):
            key = name, source.yaml
            if key not in read:
                read[key] = _crds_of(name, files.load(*key), files)
            found += read[key]
        chosen = [node for node in found if _is_chosen(node, source)]
        if found and not chosen:
            _report_filter(source, found, files.findings)
        for node in chosen:
            # where the two ways of reading differ, strict reading refuses the file
            place = node.source.file, node.source.number, node.pointer
            if place not in given:
                given.add(place)
                yield node


def _is_chosen(crd: Node, source: CrdSource) -> bool:
    group, kind = _group_and_kind(crd)
    return source.group in (None, group) and (not source.kinds or kind in source.kinds)


def _group_and_kind(crd: Node) -> tuple[str, str]:
    found = (_descend(crd, path) for path in (("spec", "group"), ("spec", "names", "kind")))
    group, kind = (str(node.value) if node is not None else "" for node in found)
    return group, kind


def _report_filter(source: CrdSource, found: list[Node], findings: Findings) -> None:
    groups = sorted({_group_and_kind(node)[0] for node in found})
    kinds = sorted({_group_and_kind(node)[1] for node in found})
    if source.group is not None and source.group not in groups:
        text, known = f'no CRD in "{source.pattern}" is of the group "{source.group}"', groups
        hint = nearest(source.group, groups)
    else:
        text, known = f'no CRD in "{source.pattern}" is of a kind in `kinds`', kinds
        hint = nearest(source.kinds[0], kinds) if source.kinds else ""
    findings.add(NOT_A_CRD, source.location, f"{text}{hint}", f"name one of {', '.join(known)}")


def _crds_of(name: str, documents: tuple[SourceFile, ...], files: Files) -> list[Node]:
    findings = files.findings
    if not documents and files.is_readable(name):
        findings.add(NOT_A_CRD, name, "the file has no document", "add a CRD, or remove the file")
    nodes = [
        node
        for document in documents
        for node in _unwrap(Node(document, "", document.document.value))
    ]
    crds = [node for node in nodes if node.get("kind") == "CustomResourceDefinition"]
    for node in nodes:
        kind = node.get("kind")
        if kind == "CustomResourceDefinition":
            continue
        if not isinstance(kind, str) or not isinstance(node.get("apiVersion"), str):
            text = f"{with_article(json_kind(node.value))} without apiVersion and kind is not a CRD"
            fix = "remove it, or read it as a schema (`schemas:`)"
            findings.add(NOT_A_CRD, node.where, text, fix)
        elif not crds:
            text = (
                f'the file has no CustomResourceDefinition, but an object of kind "{kind}"'
                f"{nearest(kind, ['CustomResourceDefinition'])}"
            )
            findings.add(NOT_A_CRD, node.where, text, "narrow the pattern to files with CRDs")
    return crds


def _unwrap(node: Node) -> Iterator[Node]:
    kind = node.get("kind")
    if isinstance(kind, str) and kind in ("List", "CustomResourceDefinitionList"):
        for item in node.children("items"):
            yield from _unwrap(item)
    else:
        yield node


def read_crd(crd: Node, findings: Findings) -> list[Root]:
    """Return a root for each version of a CRD; a version without a schema is a finding."""
    api_version = crd.get("apiVersion")
    if api_version not in _API_VERSIONS:
        shown = f'"{api_version}"' if isinstance(api_version, str) else json_kind(api_version)
        hint = nearest(api_version, _API_VERSIONS) if isinstance(api_version, str) else ""
        text = f"the apiVersion of a CustomResourceDefinition cannot be {shown}{hint}"
        findings.add(NOT_A_CRD, crd.where, text, f"write one of {', '.join(_API_VERSIONS)}")
        return []
    group = _text(crd, findings, "spec", "group")
    kind = _text(crd, findings, "spec", "names", "kind")
    plural = _text(crd, findings, "spec", "names", "plural")
    versions = _versions(crd, findings)
    if group is None or kind is None or plural is None:
        return []
    roots: list[Root] = []
    for version in versions:
        name = version.get("name")
        if not isinstance(name, str) or not name:
            findings.add(NOT_A_CRD, version.where, f"a version of {kind} has no name", _FIX)
            continue
        schema = _descend(version, ("schema", "openAPIV3Schema")) or _descend(
            crd, ("spec", "validation", "openAPIV3Schema")
        )
        if schema is None:
            text = f"{kind} {name} has no schema, so its properties are unknown"
            findings.add(NOT_A_CRD, version.where, text, "add `schema.openAPIV3Schema`")
            continue
        warning = version.get("deprecationWarning")
        deprecated = warning if isinstance(warning, str) else "deprecated"
        roots.append(
            Root(
                kind=kind,
                version=name,
                node=schema,
                api_group=group,
                plural=plural,
                deprecated=deprecated if version.get("deprecated") is True else "",
                crd=crd.value,
            )
        )
    return roots


def _descend(node: Node, path: tuple[str, ...]) -> Node | None:
    for name in path:
        if name not in node.members:
            return None
        node = node.child(name)
    return None if node.value is None else node


def _text(crd: Node, findings: Findings, *path: str) -> str | None:
    found = _descend(crd, path)
    if found is not None and isinstance(found.value, str) and found.value:
        return found.value
    _report_member(findings, found or crd, path, "a string")
    return None


def _versions(crd: Node, findings: Findings) -> list[Node]:
    """Return the versions; v1beta1 may have a single one as `spec.version`."""
    found = _descend(crd, ("spec", "versions"))
    if found is not None and isinstance(found.value, list) and found.value:
        return crd.child("spec").children("versions")
    single = _descend(crd, ("spec", "version"))
    if found is None and single is not None and isinstance(single.value, str):
        return [Node(single.source, single.pointer, {"name": single.value})]
    _report_member(findings, found or crd, ("spec", "versions"), "a list of versions")
    return []


def _report_member(findings: Findings, node: Node, path: tuple[str, ...], expected: str) -> None:
    text = f"`{'.'.join(path)}` of a CustomResourceDefinition must be {expected}"
    findings.add(NOT_A_CRD, node.where, text, _FIX)


def keep_crds(roots: Iterable[Root], findings: Findings) -> dict[str, JsonValue]:
    """Return the CRD document of each kind; a second definition of a version is a finding."""
    kept: dict[str, JsonValue] = {}
    seen: dict[tuple[str, str], Root] = {}
    for root in roots:
        first = seen.setdefault((root.kind, root.version), root)
        if first is not root:
            text = f"{root.kind} {root.version} is defined here and at {first.node.location}"
            findings.add(DEFINED_TWICE, root.node.where, text, "keep one of the definitions")
        if root.crd is not None:
            kept.setdefault(root.kind, root.crd)
    return dict(sorted(kept.items()))
