"""Where the webhook is by a project's own words: `crd.conversion` in its holdall.yaml.

The file is checked by the generator; here only this part of it is read.
"""

from __future__ import annotations

from pathlib import Path

from holdall.errors import Problem
from holdall.kubernetes.install.cluster import BAD_TARGET, InstallError
from holdall.kubernetes.install.target import Target
from holdall.scheme.projects import CONFIG_FILE
from holdall.text import json
from holdall.text.loading import load_file
from holdall.types import JsonObject, get, members


def declared_target(root: Path, ca: bytes) -> Target | None:
    """Return where the groups of a project say that the webhook is, None if none says so.

    Raises SourceError if the file cannot be read, InstallError if the groups contradict each
    other.
    """
    file = root / CONFIG_FILE
    if not file.exists():
        return None
    (document, *_) = load_file(file)
    found: list[JsonObject] = [
        declared
        for group in members(document.value, "groups").values()
        if (declared := members(group, "crd", "conversion"))
    ]
    if not found:
        return None
    if any(not json.same(one, found[0]) for one in found):
        message = "the groups of holdall.yaml have different webhooks"
        fix = "name one with --service or --url, and its CRDs with --crd"
        raise InstallError([Problem(BAD_TARGET, file.as_posix(), message, fix)])
    service = get(found[0], "service")
    path = {"path": "/convert", **members(service)} if service is not None else None
    client: JsonObject = {"service": path} if path else {"url": found[0].get("url")}
    return Target.of({"webhook": {"clientConfig": client}}, ca)
