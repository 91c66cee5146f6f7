"""A declared kind with all its versions, and its functions.

Source: docs/declared.md, "Classes".
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any, ClassVar, Final, Literal, TypeAlias

from holdall.errors import HoldallError, UnknownApiVersion
from holdall.scheme.kinds import Converts, DeclaredKind, KindVersion
from holdall.suggest import nearest
from holdall.text import yaml
from holdall.types import JsonObject, JsonValue, get, is_json_object

__all__ = ["Converts", "DeclaredKind", "KindVersion", "MergesCrd", "Order", "TriesConversions"]

Order: TypeAlias = Literal["ascending", "stored-first"]

_CRDS: Final = "crds"


class TriesConversions(DeclaredKind):
    """A kind that answers ConversionReviews.

    `TRACING` is the import path of OpenTelemetry's API if reviews are traced, empty otherwise.
    """

    TRACING: ClassVar[str] = ""

    @classmethod
    def try_convert(
        cls,
        review: Mapping[str, Any] | bytes,
        *,
        profile: Literal["strict", "server"] = "strict",
        unknown: Literal["drop", "keep", "error"] | None = None,
    ) -> JsonObject:
        """Return the reply to a ConversionReview; it never raises.

        With the profile `server` partial objects are accepted, unknown fields stay, and messages
        say which object failed. `unknown` says what happens to unknown fields otherwise. Source:
        docs/declared.md, "Reviews".
        """
        from holdall.review.declared import try_convert

        return try_convert(cls, review, profile=profile, unknown=unknown, tracing=cls.TRACING)


class MergesCrd(DeclaredKind):
    """A kind whose versions are merged into one CRD."""

    @classmethod
    def merged_crd(
        cls,
        stored: KindVersion,
        *,
        order: Order = "ascending",
        client_config: Mapping[str, JsonValue] | None = None,
    ) -> JsonObject:
        """Return the CRD of all versions, with `stored` as the storage version.

        `order` lists the versions oldest first, or the stored one first and the others newest
        first. With a client config the CRD has a conversion webhook. Shape: a CRD document.
        Raises UnknownApiVersion for a stored version that the kind does not have.
        """
        known = [member.value for member in cls.Version]
        if stored not in known:
            raise UnknownApiVersion(
                f'{cls.NAME} has no version "{stored}" that could be stored'
                f"{nearest(str(stored), known)}; known: {', '.join(known)}"
            )
        package = resources.files(cls.SCHEME.package).joinpath(_CRDS)
        files = list(package.iterdir()) if package.is_dir() else []
        for file in sorted(files, key=lambda item: item.name):
            crd = yaml.load_all(file.read_text(encoding="utf-8"), file.name)[0].value
            if get(crd, "spec", "names", "kind") == cls.NAME and is_json_object(crd):
                return _arranged(crd, known, str(stored), order, client_config)
        raise HoldallError(
            f"{cls.SCHEME.package} has no CRD of {cls.NAME}: "
            "its group has to be a domain with a dot"
        )


def _arranged(
    crd: JsonObject,
    versions: list[str],
    stored: str,
    order: Order,
    client_config: Mapping[str, JsonValue] | None,
) -> JsonObject:
    spec: Any = crd["spec"]
    found = {item["name"]: item for item in spec["versions"]}
    names = [version for version in versions if version in found]
    if order == "stored-first":
        names = [stored, *(name for name in reversed(names) if name != stored)]
    listed: list[JsonValue] = [{**found[name], "storage": name == stored} for name in names]
    arranged: JsonObject = {**crd, "spec": {**spec, "versions": listed}}
    rest: Any = arranged["spec"]
    rest.pop("conversion", None)
    if client_config is not None:
        rest["conversion"] = {
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {**client_config}},
        }
    return arranged
