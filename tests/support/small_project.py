"""A small project for tests of the generator's commands: two versions of one kind, literal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdall.cli import main

CONFIG = """\
groups:
  shop:
    sources:
      - schemas: schemas/v1.yaml
        version: v1
        kinds: {Order: /Order}
      - schemas: schemas/v2.yaml
        version: v2
        kinds: {Order: /Order}
    versions: [v1, v2]
"""

V1 = """\
Order:
  type: object
  properties:
    spec:
      type: object
      properties:
        amount: {type: integer}
        note: {type: string}
        buyer_name: {type: string}
        lines:
          type: array
          items: {$ref: "#/Line"}
Line:
  type: object
  properties:
    sku: {type: string}
"""

V2 = """\
Order:
  type: object
  properties:
    spec:
      type: object
      properties:
        amount: {type: integer}
        buyerName: {type: string}
        lines:
          type: array
          items: {$ref: "#/Line"}
Line:
  type: object
  properties:
    sku: {type: string}
    count: {type: integer}
"""

HOOK = """\
from holdall import BagView, claims

from generated.shop.v1 import storage as v1
from generated.shop.v2 import storage as v2


class OrderSpecHooks(v1.AssignableOrderSpec):
    @claims(reads=["note"], writes=[])
    def assign_properties_to(
        self, source: v1.OrderSpec, destination: v2.OrderSpec, bag: BagView
    ) -> None:
        assert source.note != "impossible"

    @claims(reads=[], writes=["note"])
    def assign_properties_from(
        self, source: v2.OrderSpec, destination: v1.OrderSpec, bag: BagView
    ) -> None:
        destination.note = None
"""

SHOWING = HOOK.replace("note", "buyer_name").replace("writes=[]", 'writes=["buyerName"]')
SHOWING = SHOWING.replace("reads=[]", 'reads=["buyerName"]')
SHOWING = SHOWING.replace(
    'assert source.buyer_name != "impossible"', "destination.buyer_name = source.buyer_name"
).replace("destination.buyer_name = None", "destination.buyer_name = source.buyer_name")
"""A hook that shows `buyer_name` as `buyerName`."""

FILES = (
    "generated/__init__.py",
    "generated/shop/__init__.py",
    "generated/shop/plan.json",
    "generated/shop/typed.py",
    "generated/shop/v1/__init__.py",
    "generated/shop/v1/storage.py",
    "generated/shop/v2/__init__.py",
    "generated/shop/v2/storage.py",
)


def write_project(root: Path, *, config: str = CONFIG, v1: str = V1, v2: str = V2) -> Path:
    """Write the sources of the project into a folder, and return it."""
    (root / "schemas").mkdir(parents=True, exist_ok=True)
    (root / "holdall.yaml").write_text(config)
    (root / "schemas/v1.yaml").write_text(v1)
    (root / "schemas/v2.yaml").write_text(v2)
    return root


def write_hook(root: Path, text: str = HOOK) -> Path:
    """Write a module of hooks, and return its path."""
    folder = root / "hooks"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text('"""Hooks."""\n')
    (folder / "order.py").write_text(text)
    return folder / "order.py"


def run(root: Path, *arguments: str) -> int:
    """Run the command line on a project, and return its exit code."""
    return main(["--project", str(root), *arguments])


def tree(root: Path, names: Sequence[str] = ("generated",)) -> dict[str, str]:
    """Return the texts of all files below some folders of a project, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for name in names
        for path in sorted((root / name).rglob("*"))
        if path.is_file()
    }
