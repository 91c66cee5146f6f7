"""Foreign metadata of `Annotated` stands in the API types of all versions."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

from tests.support.declared import declare

SHELF = """
import fractions as parts
from decimal import Decimal

LIMIT = 9

VERSIONS = Versions(Version("v1"), Version("v2"))


class Length:
    def __init__(self, least: int) -> None:
        self.least = least


@obj
class Shelf:
    label: Annotated[str, "a label", Length(1), added("v2")]
    width: Annotated[int | None, parts.Fraction(1, 3), Decimal("1.5"), LIMIT]
    plain: int
"""


def test_metadata_goes_into_every_version(tmp_path: Path) -> None:
    """Whatever it is made of: text, classes, modules, constants of the declaring module."""
    group = declare(tmp_path, SHELF)
    for version in ("v1", "v2"):
        cls = group.api(version).Shelf
        hints = get_type_hints(cls, include_extras=True)
        width = [str(item) for item in hints["width"].__metadata__]
        assert width == ["1/3", "1.5", "9"]
        assert hints["plain"] is int
    text, length = hints["label"].__metadata__
    assert (text, length.least) == ("a label", 1)
    assert "label" not in get_type_hints(group.api("v1").Shelf)
    assert hints["width"].__origin__ == (int | None)
    shelf = group.api("v2").Shelf.from_dict({"label": "x", "width": 3, "plain": 1})
    assert shelf.to_dict() == {"label": "x", "width": 3, "plain": 1}
    source = (tmp_path / group.package.replace(".", "/") / "v2" / "__init__.py").read_text()
    assert "import fractions as parts" in source
    assert "from decimal import Decimal" in source
