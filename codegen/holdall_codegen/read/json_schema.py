"""JSON Schema and OpenAPI files: from the files of a source to the roots it declares."""

from __future__ import annotations

from holdall_codegen.config.keys import SchemaSource
from holdall_codegen.read.class_names import class_name
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node, Root, SourceFile
from holdall_codegen.read.problems import MALFORMED_SCHEMA, NO_SUCH_KIND, Findings


def read_schemas(source: SchemaSource, files: Files) -> list[Root]:
    """Return a root for every kind of one source, each in the first file that has its pointer.

    Without `kinds`, the root schema of each file is one kind, named by its `title`.
    """
    findings = files.findings
    documents = [
        document for name in files.find(source) for document in _only_document(name, source, files)
    ]
    if not documents:
        return []
    if not source.kinds:
        found = (_titled(document, source, findings) for document in documents)
        return [root for root in found if root is not None]
    roots: list[Root] = []
    for kind, pointer in sorted(source.kinds.items()):
        pointer = pointer.removeprefix("#")
        location = source.kinds_at.get(kind, source.location)
        if pointer and not pointer.startswith("/"):
            fix = f'write "/{pointer}", or "" for the root of the file'
            text = f'"{pointer}" of {kind} is not a JSON Pointer'
            findings.add(NO_SUCH_KIND, location, text, fix)
            continue
        walks = [files.walk(document, pointer) for document in documents]
        node = next((node for node, _ in walks if node is not None), None)
        if node is None:
            for _, why in walks:
                text = f'"{pointer}" of {kind} leads nowhere: {why}'
                fix = "correct the pointer, or add the definition"
                findings.add(NO_SUCH_KIND, location, text, fix)
            continue
        roots.append(Root(kind, source.version, node))
    return roots


def _only_document(name: str, source: SchemaSource, files: Files) -> tuple[SourceFile, ...]:
    documents = files.load(name, source.yaml)
    if not documents and files.is_readable(name):
        text = "the file is empty: it has no schema"
        files.findings.add(MALFORMED_SCHEMA, name, text, "write the schema, or remove the source")
    if len(documents) > 1:
        message = "a schema file has one document, but a second one begins here"
        where, fix = documents[1].where(""), "move it to a file of its own"
        files.findings.add(MALFORMED_SCHEMA, where, message, fix)
    return documents[:1]


def _titled(document: SourceFile, source: SchemaSource, findings: Findings) -> Root | None:
    node = Node(document, "", document.document.value)
    title = node.get("title")
    if isinstance(title, str) and title.strip():
        return Root(class_name(title), source.version, node)
    text = "this schema does not name its kind: it has no `title`"
    fix = f"add a title, or `kinds: {{Name: /pointer}}` at {source.location}"
    findings.add(NO_SUCH_KIND, node.where, text, fix)
    return None
