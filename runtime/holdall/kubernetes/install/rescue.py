"""The last resort when the webhook is down and cannot be restored: no conversion."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Final

from holdall.kubernetes.crds.access import version_names, versions_of
from holdall.kubernetes.install.cluster import MANAGER, Cluster, crd_path, merge
from holdall.text import json
from holdall.types import JsonObject, JsonValue, members, text

WARNING: Final = """\
With `strategy: None` the API server changes nothing but apiVersion.
  - Reading at a version that is not stored drops every field which that version does not declare.
  - Writing at such a version stores what was read: those fields are lost for good, in the status
    too, and so is what is kept in bags until a webhook converts again.
  - Requests at the stored version are right. Deletion works again: namespaces, garbage
    collection and CRDs that hang continue.
Before: stop controllers and people that write other versions than the stored one.
After: restore the webhook, run `holdall install --apply`, and restore from a backup what was
written meanwhile at other versions.
"""


def rescue_values(crds: Iterable[JsonObject]) -> list[JsonObject]:
    """Return for each CRD with a webhook its name, its versions, and the stanza to restore."""
    return [
        {
            "crd": text(crd, "metadata", "name"),
            "stored": next(
                (text(item, "name") for _, item in versions_of(crd) if item.get("storage")), ""
            ),
            "versions": list[JsonValue](version_names(crd)),
            "conversion": members(crd, "spec", "conversion"),
        }
        for crd in crds
        if text(crd, "spec", "conversion", "strategy") == "Webhook"
    ]


def backup_text(values: Iterable[JsonObject]) -> str:
    """Return a shell script that restores the conversion of CRDs."""
    lines = ["#!/bin/sh", "# Turns conversion on again; run it once the webhook is back."]
    for value in values:
        patch = json.encode({"spec": {"conversion": value["conversion"]}}).decode()
        options = f"--type merge --field-manager {MANAGER} -p {shlex.quote(patch)}"
        lines.append(f"kubectl patch crd {value['crd']} {options}")
    return "\n".join([*lines, ""])


def rescue(cluster: Cluster, name: str) -> None:
    """Turn the conversion of one CRD off. Raises InstallError.

    A merge patch, not an apply: it must succeed whoever owns the stanza.
    """
    patch: JsonValue = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}
    merge(cluster, crd_path(name), patch)
