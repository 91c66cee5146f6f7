"""The project that the benchmarks convert: one kind, five versions in a chain, one hook.

It is generated into a temporary folder, with the object that every conversion benchmark uses:
about 2 KB of JSON with metadata and managedFields of usual size and thirteen nested objects.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from holdall_codegen.project import emit_project, load_project
from tests.support.crds import crd_of, struct

VERSIONS = ("v1", "v2", "v3", "v4", "v5")

_CONFIG = """\
groups:
  bench:
    sources:
      - crds: schemas/widgets.json
    versions: [v1, v2, v3, v4, v5]
"""

_HOOK = '''\
from generated.bench.v1 import storage as v1
from generated.bench.v2 import storage as v2
from holdall import BagView, claims


class AccountSpecHooks(v1.AssignableAccountSpec):
    """v1 calls the limit `poolQuota`, v2 `quota`."""

    @claims(reads=["poolQuota"], writes=["quota"])
    def assign_properties_to(
        self, source: v1.AccountSpec, destination: v2.AccountSpec, bag: BagView
    ) -> None:
        destination.quota = source.pool_quota

    @claims(reads=["quota"], writes=["poolQuota"])
    def assign_properties_from(
        self, source: v2.AccountSpec, destination: v1.AccountSpec, bag: BagView
    ) -> None:
        destination.pool_quota = source.quota
'''


def _text(*names: str) -> dict[str, Any]:
    return {name: {"type": "string"} for name in names}


def _numbers(*names: str) -> dict[str, Any]:
    return {name: {"type": "integer"} for name in names}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _schema(quota: str) -> dict[str, Any]:
    pool = struct(
        **_text("name", "vmSize", "image"),
        **_numbers("dedicated", "lowPriority"),
        autoscale=struct(**_numbers("min", "max")),
    )
    spec = struct(
        **_text("location", "publicNetworkAccess", "sku", "identity", "mode"),
        **_numbers(quota),
        tags={"type": "object", "additionalProperties": {"type": "string"}},
        encryption=struct(**_text("keySource"), keyVault=struct(**_text("name", "version"))),
        network=struct(rules=_list(struct(**_text("name", "action", "cidr")))),
        pools=_list(pool),
        zones=_list({"type": "string"}),
    )
    condition = struct(**_text("type", "status", "reason", "message", "lastTransitionTime"))
    status = struct(**_text("state", "message"), conditions=_list(condition))
    return struct(metadata={"type": "object"}, spec=spec, status=status)


def _crd() -> dict[str, Any]:
    return crd_of(
        "Account",
        {version: _schema("poolQuota" if version == "v1" else "quota") for version in VERSIONS},
        group="bench.example.com",
    )


def build(root: Path) -> Any:
    """Generate the project into `root`, make it importable, and return its scheme."""
    files = {
        "holdall.yaml": _CONFIG,
        "schemas/widgets.json": json.dumps(_crd()),
        "hooks/__init__.py": "",
        "hooks/account.py": _HOOK,
    }
    return generated(root, "bench", files)


def generated(root: Path, group: str, files: dict[str, str]) -> Any:
    """Generate a project into `root`, make it importable, and return the scheme of a group."""
    _write(root, files)
    _write(root, emit_project(load_project(root)))
    forget_packages()
    sys.path.insert(0, str(root))
    scheme = importlib.import_module(f"generated.{group}").SCHEME
    scheme.load()
    return scheme


def forget_packages() -> None:
    """Forget the packages of generated projects that another benchmark has imported."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("generated", "hooks")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def review_of(texts: list[bytes], desired: str) -> bytes:
    """Return a ConversionReview of objects, by their JSON, to an apiVersion."""
    objects = [msgspec.Raw(text) for text in texts]
    request = {"uid": "u", "desiredAPIVersion": desired, "objects": objects}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
    return msgspec.json.encode({**head, "request": request})


def account() -> dict[str, Any]:
    """Return the object of all conversion benchmarks, at v1."""
    return {
        "apiVersion": "bench.example.com/v1",
        "kind": "Account",
        "metadata": _metadata(),
        "spec": {
            "location": "westeurope",
            "publicNetworkAccess": "Enabled",
            "poolQuota": 100,
            "tags": {"env": "prod", "team": "payments"},
            "encryption": {"keySource": "vault", "keyVault": {"name": "keys", "version": "7"}},
            "network": {
                "rules": [
                    {"name": "inside", "action": "Allow", "cidr": "10.0.0.0/8"},
                    {"name": "outside", "action": "Deny", "cidr": "0.0.0.0/0"},
                ]
            },
            "pools": [
                _pool("small", "d2", 3),
                _pool("large", "d8", 1),
            ],
            "zones": ["1", "2"],
        },
        "status": {
            "state": "Ready",
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True",
                    "reason": "Provisioned",
                    "message": "all pools are up",
                    "lastTransitionTime": "2026-05-02T08:01:12Z",
                }
            ],
        },
    }


def _pool(name: str, size: str, dedicated: int) -> dict[str, Any]:
    return {
        "name": name,
        "vmSize": size,
        "dedicated": dedicated,
        "lowPriority": 0,
        "autoscale": {"min": 1, "max": 4},
    }


def _metadata() -> dict[str, Any]:
    spec = ("location", "poolQuota", "publicNetworkAccess", "zones", "pools")
    fields: dict[str, Any] = {f"f:{name}": {} for name in spec}
    return {
        "name": "nightly",
        "namespace": "team-payments",
        "uid": "5b9f1f6e-6a3c-4d0a-9a58-0d6c1c2f7e11",
        "resourceVersion": "812345",
        "generation": 4,
        "creationTimestamp": "2026-05-02T08:00:00Z",
        "labels": {"app": "nightly", "team": "payments"},
        "annotations": {"example.com/owner": "payments"},
        "finalizers": ["bench.example.com/cleanup"],
        "managedFields": [
            {
                "apiVersion": "bench.example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:team": {}}},
                    "f:spec": {".": {}, **fields, "f:tags": {".": {}, "f:env": {}, "f:team": {}}},
                },
                "manager": "kubectl-client-side-apply",
                "operation": "Update",
                "time": "2026-05-02T08:00:00Z",
            },
            {
                "apiVersion": "bench.example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {
                        "f:annotations": {".": {}, "f:example.com/owner": {}},
                        "f:finalizers": {".": {}, 'v:"bench.example.com/cleanup"': {}},
                    },
                    "f:spec": {"f:encryption": {".": {}, "f:keySource": {}, "f:keyVault": {}}},
                },
                "manager": "account-operator",
                "operation": "Update",
                "time": "2026-05-02T08:00:31Z",
            },
            {
                "apiVersion": "bench.example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:status": {".": {}, "f:conditions": {}, "f:state": {}}},
                "manager": "account-operator",
                "operation": "Update",
                "subresource": "status",
                "time": "2026-05-02T08:01:12Z",
            },
        ],
    }
