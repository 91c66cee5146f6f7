"""Validators of real objects, by the schemas of a project as its sources state them.

Schemas of CRDs apply as in an API server, which prunes objects and fills in defaults before it
validates; all others are JSON Schema, with those keywords of OpenAPI that holdall reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from os.path import normpath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote, unquote_to_bytes

from holdall.errors import NotInstalled
from holdall.kubernetes.conform.validity import flaws, stored
from holdall.objects.bag import BAG_MEMBER
from holdall.text import json
from holdall.text.files import path_from
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object
from holdall_codegen.breaking.reading import schemas_of
from holdall_codegen.breaking.schema_changes import SchemaSide
from holdall_codegen.project import Project
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node
from holdall_codegen.read.shape import REFERENCES

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Flaw: TypeAlias = tuple[str, str]
"""A JSON Pointer, and what is wrong there."""
Judge: TypeAlias = Callable[[JsonObject], Iterator[Flaw]]

_EXTRA: Final = "validate"
_FILE: Final = "file://"
_LONGEST: Final = 200


def validators(project: Project) -> dict[tuple[str, str], Judge]:
    """Return the validators of objects, by apiVersion and kind.

    Raises NotInstalled without the packages that validate.
    """
    found: dict[tuple[str, str], Judge] = {}
    for config in project.config.groups:
        plan = project.plans[config.package]
        groups = {
            kind.names.get(version, kind.name): plan.group_of(kind.name)
            for kind in plan.kinds
            for version in kind.types
        }
        for name, sides in schemas_of(config, project).items():
            for version, side in sides.items():
                api_version = "/".join(filter(None, (groups.get(name, ""), version)))
                found[api_version, name] = _judge(side, project)
    return found


def _judge(side: SchemaSide, project: Project) -> Judge:
    node = side.nodes[0]
    if side.prunes == "all" and is_json_object(node.value):
        _require_rules()
        return partial(_as_server, node.value)
    return partial(_as_json_schema, side, _validator(node, project))


def _require_rules() -> None:
    try:
        import cel_expr_python  # noqa: F401 - evaluates the rules of CRDs
    except ModuleNotFoundError as error:
        raise NotInstalled("cel-expr-python", _EXTRA) from error


def _as_server(schema: JsonObject, value: JsonObject) -> Iterator[Flaw]:
    found = flaws(stored(value, schema), schema)
    yield from ((flaw.pointer, flaw.what) for flaw in found if flaw.is_judged)


# --- JSON Schema -----------------------------------------------------------------------------


def _as_json_schema(side: SchemaSide, validator: Validator, value: JsonObject) -> Iterator[Flaw]:
    facts = side.facts(side.nodes)
    declared = {*facts.properties, *facts.required}
    undeclared = {*side.skipped, BAG_MEMBER} - {"metadata"} - declared
    own: JsonValue = {name: item for name, item in value.items() if name not in undeclared}
    if side.prunes != "nothing":
        own = _filled(own, side, side.nodes)
    errors = sorted(validator.iter_errors(own), key=lambda error: [*map(str, error.absolute_path)])
    for error in errors:
        message = error.message
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]}…"
        yield join("", *error.absolute_path), message


def _filled(value: JsonValue, side: SchemaSide, nodes: Sequence[Node]) -> JsonValue:
    """Return a value with the defaults that a server would fill in."""
    facts = side.facts(nodes)
    if isinstance(value, list):
        return [_filled(item, side, facts.items) if facts.items else item for item in value]
    if not is_json_object(value):
        return value
    found: JsonObject = {}
    for name, item in value.items():
        inner = facts.properties.get(name) or facts.values
        found[name] = _filled(item, side, inner) if inner else item
    for name, inner in facts.properties.items():
        default = side.facts(inner).default
        if name not in found and default is not None:
            found[name] = json.decode(default)
    return found


def _validator(node: Node, project: Project) -> Validator:
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend
        from referencing import Registry, Resource
        from referencing.jsonschema import DRAFT202012
    except ModuleNotFoundError as error:
        raise NotInstalled("jsonschema", _EXTRA) from error
    files = Files(project.root, project.loaded)

    def retrieve(uri: str) -> Any:
        name = path_from(_path_of(uri), project.root)
        (source, *_) = files.load(name, node.source.yaml)
        return Resource.from_contents(
            _local(Node(source, "", source.document.value), files, project.root),
            default_specification=DRAFT202012,
        )

    registry: Any = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    if (node.source.file, node.source.yaml) not in project.loaded:  # made, not read
        schema: Any = _local(node, None, project.root)
    else:
        schema = {"$ref": _address(node, project.root)}
    words = Draft202012Validator.VALIDATORS
    extended: Any = extend
    dialect = extended(Draft202012Validator, _openapi(words))
    made: Validator = dialect(
        schema, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    return made


def _address(node: Node, root: Path) -> str:
    place = Path(normpath(root.absolute() / node.source.file))
    return f"{_uri_of(place)}#{quote(node.pointer)}"


def _uri_of(path: PurePath) -> str:
    """Return the URI of an absolute path, which need not be UTF-8; a drive comes after "/"."""
    return _FILE + quote(b"/" + os.fsencode(path.as_posix().removeprefix("/")))


def _path_of(uri: str) -> Path:
    path = Path(os.fsdecode(unquote_to_bytes(uri.removeprefix(_FILE))))
    on_drive = Path(*path.parts[1:])
    return on_drive if on_drive.drive else path


def _local(node: Node, files: Files | None, root: Path) -> JsonValue:
    """Return a schema without its ids; with `files`, references name the places they lead to."""
    value = node.value
    if isinstance(value, list):
        return [_local(node.child(str(index)), files, root) for index in range(len(value))]
    if not is_json_object(value):
        return value
    found: JsonObject = {}
    for name, item in value.items():
        if not isinstance(item, str):
            found[name] = _local(node.child(name), files, root)
        elif name in REFERENCES and files is not None:
            target = files.resolve(node, name)
            found["$ref"] = item if target is None else _address(target, root)
        elif name not in ("$id", "$schema"):
            found[name] = item
    if isinstance(found.get("items"), list):  # as in drafts before 2020-12
        found["prefixItems"] = found["items"]
        found["items"] = found.pop("additionalItems", True)
    return found


def _openapi(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords with their meaning in OpenAPI 3.0 and Kubernetes."""

    def nullable(name: str) -> Any:
        def check(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
            if value is not None or schema.get("nullable") is not True:
                yield from words[name](validator, said, value, schema) or ()

        return check

    def exclusive(name: str, limit: str) -> Any:
        def check(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
            if said is True:  # a flag beside the limit
                said = schema.get(limit)
            if not isinstance(said, bool) and said is not None:
                yield from words[name](validator, said, value, schema) or ()

        return check

    def int_or_string(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
        if said is True:
            yield from words["type"](validator, ["integer", "string"], value, schema) or ()

    return {
        "type": nullable("type"),
        "enum": nullable("enum"),
        "exclusiveMinimum": exclusive("exclusiveMinimum", "minimum"),
        "exclusiveMaximum": exclusive("exclusiveMaximum", "maximum"),
        "x-kubernetes-int-or-string": int_or_string,
    }
