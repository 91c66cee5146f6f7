"""What happened to an item, and other words for its `Annotated`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from holdall.declare.calls import Call, Marker

FAIL: Final = Marker("FAIL")
"""Converting an object with this variant to a version without it is an error."""

nested: Final = Marker("nested")
"""The item contains declared containers. The generator sees that itself, and checks this word."""

default_variant: Final = Marker("default_variant")
"""An added field of this union gets this variant."""


class added(Call):
    """The item exists since the version `since`.

    Objects of older versions get `default()`, or `default_from(parent object)`. A variant says what
    happens to it in older versions: the variant `fallback`, or `downgrade_with(whole value)`.
    """

    def __init__(
        self,
        since: str,
        *,
        default: Callable[[], object] | str | None = None,
        default_from: Callable[[Any], object] | str | None = None,
        fallback: str | Marker | None = None,
        downgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class changed(Call):
    """The item has changed in the version `since`; before, it had what `from_...` says.

    A type may be given as text, for classes further below. Functions get and return the whole
    value; they may raise.
    """

    def __init__(
        self,
        since: str,
        *,
        from_name: str | None = None,
        from_json_name: str | None = None,
        from_type: object = None,
        from_docs: str | None = None,
        upgrade_with: Callable[[Any], object] | str | None = None,
        downgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class deprecated(Call):
    """The item is deprecated since the version `since`.

    Its name starts with `deprecated_` (a variant's with `Deprecated`), which it did not before.
    """

    def __init__(self, since: str, *, note: str | None = None) -> None:
        pass


class removed(Call):
    """The item no longer exists since the version `since`.

    Objects of newer versions get `default()` when they are converted back. A variant says what
    happens to it in newer versions: the variant `fallback`, or `upgrade_with(whole value)`.
    """

    def __init__(
        self,
        since: str,
        *,
        default: Callable[[], object] | str | None = None,
        fallback: str | Marker | None = None,
        upgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class name(Call):
    """The name of the item, if Python cannot use it: `tls: Annotated[Tls, name("Tls")]`."""

    def __init__(self, name: str) -> None:
        pass


class json_name(Call):
    """The JSON name of the item while it has its declared name."""

    def __init__(self, name: str) -> None:
        pass


class list_key(Call):
    """The fields that identify the elements of a list, by their names in the latest version."""

    def __init__(self, *names: str) -> None:
        pass


class Doc(Call):
    """The documentation of the item, instead of a string below it."""

    def __init__(self, text: str) -> None:
        pass


class hint(Call):
    """The outermost wrapper of the item. The generator sees it itself, and checks this word."""

    def __init__(self, wrapper: Literal["option", "list", "map"]) -> None:
        pass
