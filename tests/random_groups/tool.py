"""The only door to holdall: it is used from outside, as a user does."""

from __future__ import annotations

import copy
import importlib
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdall_codegen.output.generation import generate
from tests.random_groups.config import files, parts
from tests.random_groups.hooked import modules
from tests.random_groups.model import Group, Json


class Refused(Exception):
    """The tool refused a group; the draw is at fault, or the tool."""


class Broken(Exception):
    """The tool failed, or its ways of converting differ."""


@dataclass(frozen=True)
class Reported:
    """What a report says of one entry."""

    place: str
    origin: str
    key: str


@dataclass
class Project:
    """A generated project."""

    scheme: Any
    group: Group
    package: str
    root: Path

    def convert(self, document: Json, version: str) -> tuple[Json, list[Reported]]:
        """Return a document in another version, by all ways at once, and what was reported."""
        before, goal = json.dumps(document), self.group.api_version(version)
        report: list[Any] = []
        given = copy.deepcopy(document)
        try:
            found = self.scheme.convert(given, to=goal, report=report)
        except Exception as error:
            raise Broken(f"convert to {version} raises {type(error).__name__}: {error}") from error
        if json.dumps(given) != before:
            raise Broken(f"convert to {version} changed its source")
        text = self.scheme.convert_bytes(before.encode(), to=goal)
        if json.loads(text) != found or json.dumps(json.loads(text)) != json.dumps(found):
            raise Broken(f"convert_bytes to {version} gives {text.decode()}, convert gives {found}")
        if self.group.crds:
            self.compare_review(document, goal, found)
        told = [
            Reported(
                getattr(item, "path", "") or getattr(item, "address", ""),
                item.origin,
                item.key.removeprefix("residue:"),  # what a hook keeps of a property
            )
            for item in report
        ]
        return found, told

    def compare_review(self, document: Json, goal: str, found: Json) -> None:
        """Compare the answer to a review with a conversion."""
        reply = self.review([document], goal)
        result = reply["response"]
        if result["result"]["status"] != "Success":
            raise Broken(f"the review to {goal} fails: {result}")
        if json.dumps(result["convertedObjects"][0]) != json.dumps(found):
            raise Broken(f"the review to {goal} gives {result['convertedObjects'][0]}, not {found}")

    def review(self, documents: list[Json], goal: str) -> Any:
        """Return the answer to a review."""
        request = {"uid": "1", "desiredAPIVersion": goal, "objects": documents}
        review = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
        return json.loads(self.scheme.review(json.dumps(review | {"request": request}).encode()))

    def close(self) -> None:
        """Remove the project from the disk and from memory."""
        shutil.rmtree(self.root, ignore_errors=True)
        sys.path.remove(str(self.root))
        own = (self.package, f"{self.package}_hooks")
        for name in [name for name in sys.modules if name.split(".")[0] in own]:
            del sys.modules[name]


def build(group: Group, package: str) -> Project:
    """Write a group as files, generate its package and import it."""
    root = Path(tempfile.mkdtemp(prefix="random-groups-"))
    for name, content in files(group, package).items():
        (root / name).write_text(json.dumps(content), encoding="utf-8")
    try:
        generate(root)
        write_hooks(group, package, root)
    except Exception as error:
        shutil.rmtree(root, ignore_errors=True)
        raise Refused(f"{type(error).__name__}: {error}") from error
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    scheme = importlib.import_module(f"{package}.things").SCHEME
    return Project(scheme, group, package, root)


def write_hooks(group: Group, package: str, root: Path) -> None:
    """Write the hooks of a group, against what was generated."""
    made = parts(group)
    if not made:
        return
    plan = json.loads((root / package / "things" / "plan.json").read_text(encoding="utf-8"))
    protocols = {}
    for edge in plan["edges"]:
        older, _, type = edge["older"].partition(".")
        protocols[older, edge["newer"].partition(".")[0], type] = edge["protocol"]
    (root / f"{package}_hooks").mkdir()
    text = modules(made, protocols, package)
    (root / f"{package}_hooks" / "__init__.py").write_text(text, encoding="utf-8")
