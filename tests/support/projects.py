"""Small literal projects for tests: generated in a temporary folder, with names of their own."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall_codegen.project import Project, emit_project, load_project
from tests.support.notation import Schema

_COUNTER = itertools.count()


def config_of(
    kinds: str,
    versions: str | Mapping[str, str] = "v1 v2",
    *,
    group: str = "things",
    api_group: str = "",
    more: str = "",
) -> str:
    """Return the configuration of a group of kinds, with a file of schemas for each version.

    Kinds and versions are words; the file of `v1` is `v1.yaml` unless `versions` names another one.
    `group` may be an API group, whose first word is the name. `more` is YAML that the group says.
    """
    name, dot, _ = group.partition(".")
    api_group = api_group or (group if dot else "")
    if isinstance(versions, str):
        versions = {version: f"{version}.yaml" for version in versions.split()}
    roots = ", ".join(f'{kind}: ""' for kind in kinds.split())
    sources = (
        f"  - {{schemas: {file}, version: {version}, kinds: {{{roots}}}}}"
        for version, file in versions.items()
    )
    head = (f"api_group: {api_group}", "sources:") if api_group else ("sources:",)
    lines = (*head, *sources, f"versions: [{', '.join(versions)}]", *more.splitlines())
    return "\n".join(("groups:", f"  {name}:", *(f"    {line}" for line in lines), ""))


def group_of(
    schemas: Mapping[str, Any],
    kind: str = "Thing",
    *,
    group: str = "things",
    api_group: str | None = "example.com",
    hook: str = "",
    **said: Any,
) -> tuple[str, dict[str, str]]:
    """Return the configuration of a group of one kind, and its files, from schemas by version.

    `said` is what the group says besides, as JSON; what is None is not said.
    """
    sources = [
        {"schemas": f"{name}.json", "version": name, "kinds": {kind: ""}} for name in schemas
    ]
    whole = {"api_group": api_group, "sources": sources, "versions": [*schemas], **said}
    whole = {key: value for key, value in whole.items() if value is not None}
    files = {f"{name}.json": json.dumps(schema) for name, schema in schemas.items()}
    if hook:
        files |= {"hooks/things.py": hook}
    return f"groups: {json.dumps({group: whole})}\n", files


def with_spec(spec: Schema) -> Schema:
    """Return the schema of an object that has metadata and this spec."""
    metadata = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"type": "object", "properties": {"metadata": metadata, "spec": spec}}


THING_CONFIG = config_of("Thing", api_group="example.com")

_HEAD = """
type: object
properties:
  metadata: {type: object, additionalProperties: true}
  spec:
    type: object
    properties:
      size: {type: integer}
      labels: {type: object, additionalProperties: {type: string}}
"""

THING_FILES = {
    "v1.yaml": _HEAD
    + """
      color: {type: string}
      box: {type: object, additionalProperties: true}
      parts:
        type: array
        items:
          type: object
          properties: {name: {type: string}, weight: {type: integer}}
""",
    "v2.yaml": _HEAD
    + """
      shade: {type: integer}
      parts:
        type: array
        items:
          type: object
          properties: {name: {type: string}}
""",
}
"""A kind whose `color`, `box` and `parts/weight` are in v1 only, and whose `shade` in v2 only."""


def build_project(root: Path, config: str, files: Mapping[str, str]) -> Path:
    """Write a project into a folder, generate it, and return the folder.

    Its packages have names of their own, so that tests run in any order and side by side; `config`
    must not name them. Hooks among the files stand in `hooks/` and are moved to their package,
    which has an empty `__init__.py` unless there is another one; in the files, `{generated}` and
    `{hooks}` stand for the names of the packages.
    """
    output, hooks = new_packages()
    if any(path.startswith("hooks/") for path in files):
        files = {"hooks/__init__.py": "", **files}
    root.mkdir(parents=True, exist_ok=True)
    (root / "holdall.yaml").write_text(with_packages(config, output, hooks), encoding="utf-8")
    for path, text in files.items():
        folder, _, rest = path.partition("/")
        target = root / (f"{hooks}/{rest}" if folder == "hooks" else path)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = text.replace("{generated}", output).replace("{hooks}", hooks)
        target.write_text(text, encoding="utf-8")
    write_generated(load_project(root))
    return root


def new_packages() -> tuple[str, str]:
    """Return names of packages, of generated code and of hooks, that no other project has."""
    name = f"p{os.getpid()}_{next(_COUNTER)}"
    return f"generated_{name}", f"hooks_{name}"


def with_packages(config: str, output: str, hooks: str) -> str:
    """Return a configuration that names its packages."""
    return f"output: {output}\nhooks: {hooks}\n{config}"


def write_generated(project: Project) -> None:
    """Write what is generated for a project; it can be imported then."""
    for path, text in emit_project(project).items():
        target = project.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    importlib.invalidate_caches()


def hook_of(*parts: str, protocol: str = "v1.AssignableThingSpec", code: str = "") -> str:
    """Return a module with a hook that is composed of parts, which may need some code."""
    version, _, name = protocol.partition(".Assignable")
    return (
        "from holdall import Always, Composed, EachValue, Members, TwoWay\n"
        f"from {{generated}}.things.{version} import storage as {version}\n"
        f"{code}\n\nclass {name}Hooks(Composed, {protocol}):\n    parts = ({', '.join(parts)},)\n"
    )


def written_hook(
    to: str = "pass",
    back: str = "pass",
    *,
    reads: str = "",
    writes: str = "",
    older: str = "v1.ThingSpec",
    newer: str = "v2.ThingSpec",
    group: str = "things",
    name: str = "Hooks",
    code: str = "",
) -> str:
    """Return a module with a hook of two written functions; they see `source` and `destination`.

    `reads` and `writes` are the properties claimed on the way `to` the newer version, as words; on
    the way `back` it is the other way about. `code` comes before the hook.
    """
    (one, type_), (other, _) = older.split("."), newer.split(".")
    lines = [f"from {{generated}}.{group}.{it} import storage as {it}" for it in (one, other)]
    lines += ["from holdall import BagView, claims", *code.splitlines(), "", ""]
    lines += [f"class {name}({one}.Assignable{type_}):"]
    for way, body, given, made, read, written in (
        ("to", to, older, newer, reads, writes),
        ("from", back, newer, older, writes, reads),
    ):
        lines += [
            f"    @claims(reads={json.dumps(read.split())}, writes={json.dumps(written.split())})",
            f"    def assign_properties_{way}(",
            f"        self, source: {given}, destination: {made}, bag: BagView",
            "    ) -> None:",
            indent(dedent(body).strip("\n"), " " * 8),
            "",
        ]
    return "\n".join(lines)


def hooks_of(project: Path) -> dict[str, str]:
    """Return the hooks of a project that lies in a folder, as `build_project` takes them."""
    return {
        f"hooks/{path.name}": re.sub(
            r"^from (generated|hooks)\b", r"from {\1}", path.read_text(encoding="utf-8"), flags=re.M
        )
        for path in (project / "hooks").glob("*.py")
    }


def scheme_of(root: Path) -> Scheme:
    """Return the scheme of a project's first group; the project becomes importable."""
    return load_schemes(root)[0]


def reloaded(root: Path) -> Scheme:
    """Return the scheme of a project whose code was edited after it had been imported."""
    own = {path.stem for path in root.iterdir() if path.suffix != ".yaml"}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return scheme_of(root)
