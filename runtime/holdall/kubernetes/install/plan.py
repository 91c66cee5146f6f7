"""The planned changes of a cluster's CRDs, and which fields other managers own."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from holdall.errors import Problem
from holdall.kubernetes.crds.access import version_names, versions_of
from holdall.kubernetes.crds.certificates import read_bundle
from holdall.kubernetes.install.cluster import (
    CA_MANAGER,
    FOREIGN,
    MANAGER,
    NO_CRD,
    Cluster,
    list_crds,
)
from holdall.kubernetes.install.target import Target
from holdall.scheme.scheme import Scheme
from holdall.suggest import nearest
from holdall.text import json, yaml
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text
from holdall.words import counted

Scope = Literal["all", "ca"]
_OURS: Final = (MANAGER, CA_MANAGER)
_BUNDLE: Final = ("webhook", "clientConfig", "caBundle")
_DEFAULTS: Final[dict[tuple[str, ...], JsonValue]] = {
    ("webhook", "clientConfig", "service", "port"): 443
}


@dataclass(frozen=True, slots=True)
class CrdChange:
    """What happens to `spec.conversion` of one CRD.

    `api_versions` are those that it serves or stores, `conflicts` the fields of other managers
    that would change, as `path (manager)`. `has_loose_bundle` says that an interrupted run left
    `caBundle` with the manager of the other fields.
    """

    name: str
    kind: str
    api_versions: tuple[str, ...]
    resource_version: str
    before: JsonObject
    after: JsonObject
    conflicts: tuple[str, ...] = ()
    has_loose_bundle: bool = False

    @property
    def is_needed(self) -> bool:
        return not json.same(self.before, self.after)

    @property
    def is_ca_only(self) -> bool:
        """Whether nothing but `caBundle` changes."""
        return json.same(_without_bundle(self.before), _without_bundle(self.after))

    def diff(self) -> str:
        """Return the change as a unified diff of YAML; a caBundle is shown by its digest."""
        before, after = _lines(self.before), _lines(self.after)
        return "".join(difflib.unified_diff(before, after, f"a/{self.name}", f"b/{self.name}"))


def select_crds(
    cluster: Cluster,
    schemes: Iterable[Scheme],
    names: Sequence[str],
    groups: Sequence[str] = (),
) -> tuple[list[JsonObject], list[Problem]]:
    """Return the CRDs of a cluster by name: those named or of these groups, or else those of the
    schemes' kinds.

    Missing ones are problems. Raises InstallError.
    """
    there = {text(crd, "metadata", "name"): crd for crd in list_crds(cluster)}
    kinds = {
        (text(crd, "spec", "group"), text(crd, "spec", "names", "kind")): name
        for name, crd in there.items()
    }
    known = {group for group, _ in kinds}
    absent = [f"the CRD {name}{nearest(name, there)}" for name in names if name not in there]
    found = {name for name in names if name in there}
    found |= {name for (group, _), name in kinds.items() if group in groups}
    if not (names or groups):
        every = ((scheme.group_of(kind), kind.name) for scheme in schemes for kind in scheme.kinds)
        for group, kind in dict.fromkeys(every):
            if (group, kind) in kinds:
                found.add(kinds[group, kind])
            else:
                absent.append(f"a CRD of {kind} in {group}")
    fix = "create the CRDs first: `holdall crd`, then `kubectl apply --server-side`"
    problems = [Problem(NO_CRD, "", f"the cluster does not have {it}", fix) for it in absent]
    for group in dict.fromkeys(groups):
        if group not in known:
            message = f"the cluster has no CRD of the group {group}{nearest(group, known)}"
            problems.append(Problem(NO_CRD, "", message, "correct --group"))
    return [there[name] for name in sorted(found)], problems


def plan_changes(
    crds: Iterable[JsonObject], target: Target, *, scope: Scope = "all"
) -> list[CrdChange]:
    """Return what installing a target changes in CRDs; skips those with one version.

    With the scope `ca`, only `caBundle` of those that already use a webhook.
    """
    changes = []
    for crd in crds:
        before = members(crd, "spec", "conversion")
        if scope == "ca":
            if text(before, "strategy") != "Webhook":
                continue
            after = json.copy(before)
            members(after, "webhook", "clientConfig")["caBundle"] = target.bundle
        else:
            if len(version_names(crd)) < 2:
                continue
            after = _merge(before, target)
        changes.append(
            CrdChange(
                text(crd, "metadata", "name"),
                text(crd, "spec", "names", "kind"),
                tuple(
                    f"{text(crd, 'spec', 'group')}/{text(version, 'name')}"
                    for _, version in versions_of(crd)
                    if version.get("served") is True or version.get("storage") is True
                ),
                text(crd, "metadata", "resourceVersion"),
                before,
                after,
                tuple(_conflicts(crd, before, after)),
                MANAGER in _owners(crd, _BUNDLE),
            )
        )
    return changes


def conflict_problems(changes: Iterable[CrdChange]) -> list[Problem]:
    """Return a problem for each field of another manager."""
    fix = "change it with that manager, or take it over with --force"
    return [
        Problem(FOREIGN, change.name, f"another manager has set {conflict}", fix)
        for change in changes
        for conflict in change.conflicts
    ]


def _merge(before: JsonObject, target: Target) -> JsonObject:
    """Return the future stanza of a CRD: ours, with the fields that only others set."""
    after: JsonObject = json.copy(target.stanza())
    client = members(after, "webhook", "clientConfig")
    bundle = get(before, *_BUNDLE)
    if bundle is not None and "caBundle" not in client:
        client["caBundle"] = bundle
    return after


def _without_bundle(stanza: JsonObject) -> JsonObject:
    copied: JsonObject = json.copy(stanza)
    members(copied, "webhook", "clientConfig").pop("caBundle", None)
    return copied


def _conflicts(crd: JsonObject, before: JsonObject, after: JsonObject) -> Iterator[str]:
    paths = dict.fromkeys([*_leaves(before), *_leaves(after)])
    for path in paths:
        old, new = get(before, *path), get(after, *path)
        if old is None or json.same(old, new) or (path == ("strategy",) and old == "None"):
            continue  # a default, which nobody chose
        if new is None and _DEFAULTS.get(path) == old:
            continue
        owners = set(_owners(crd, path))
        # Another owner of a field that we own agreed to its value; older servers add such owners.
        if owners and owners.isdisjoint(_OURS):
            yield f"spec.conversion.{'.'.join(path)} (of {', '.join(sorted(owners))})"


def _leaves(value: JsonObject, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, part in value.items():
        if is_json_object(part):
            yield from _leaves(part, (*path, name))
        else:
            yield (*path, name)


def _owners(crd: JsonObject, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the managers of a field below spec.conversion.

    An empty set at an outer field means only that field, without its contents.
    """
    fields = [f"f:{name}" for name in ("spec", "conversion", *path)]
    for entry in items(crd, "metadata", "managedFields"):
        if get(entry, "fieldsV1", *fields) is not None:
            yield text(entry, "manager")


def _lines(value: JsonObject) -> list[str]:
    shown = json.decode(json.encode_sorted(value))  # servers order members differently
    client = members(shown, "webhook", "clientConfig")
    if bundle := text(client, "caBundle"):
        count = len(read_bundle(bundle)[1])
        digest = hashlib.sha256(bundle.encode()).hexdigest()[:16]
        client["caBundle"] = f"{counted(count, 'certificate')}, digest {digest}"
    return yaml.dump({"spec": {"conversion": shown}}).splitlines(keepends=True)
