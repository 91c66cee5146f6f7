"""The Emissary project of the acceptance tests, and a Mapping that uses what its hooks are for.

The schemas are read from the folder `shared` beside the repository.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.specimen import forget_packages
from holdall_codegen.project import emit_project, load_project

_ROOT = Path(__file__).parents[1]
_PROJECT = _ROOT / "tests/acceptance/emissary"
SCHEMAS = _ROOT.parent / "shared/emissary/schemas/internal"


@contextmanager
def built() -> Iterator[Any]:
    """Generate the project into a temporary folder, and yield its scheme while it lies there."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(SCHEMAS, root / "schemas")
        shutil.copy(_PROJECT / "holdall.yaml", root)
        shutil.copytree(_PROJECT / "hooks", root / "hooks")
        for name, text in emit_project(load_project(root)).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        forget_packages()
        sys.path.insert(0, folder)
        try:
            scheme = importlib.import_module("generated.emissary").SCHEME
            scheme.load()
            yield scheme
        finally:
            sys.path.remove(folder)
            forget_packages()


def mapping(mark: str = "") -> dict[str, Any]:
    """Return a Mapping of v2 as a server stores it; `mark` makes every value hooks see another."""
    spec = _spec(mark)
    fields: dict[str, Any] = {f"f:{name}": {} for name in spec}
    return {
        "apiVersion": "getambassador.io/v2",
        "kind": "Mapping",
        "metadata": {
            "name": "orders",
            "namespace": "shop",
            "uid": "5b9f1f6e-6a3c-4d0a-9a58-0d6c1c2f7e11",
            "resourceVersion": "812345",
            "generation": 4,
            "creationTimestamp": "2026-05-02T08:00:00Z",
            "labels": {"app": "shop"},
            "annotations": {"a8r.io/owner": "payments"},
            "managedFields": [
                {
                    "apiVersion": "getambassador.io/v2",
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {
                        "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                        "f:spec": {".": {}, **fields},
                    },
                    "manager": "kubectl-client-side-apply",
                    "operation": "Update",
                    "time": "2026-05-02T08:00:00Z",
                }
            ],
        },
        "spec": spec,
        "status": {"state": "Running"},
    }


def _spec(mark: str) -> dict[str, Any]:
    client = {"header": f"x-client-id{mark}", "omit_if_not_present": True}
    return {
        "prefix": "/orders/",
        "rewrite": "/",
        "service": f"orders.shop{mark}:8443",
        "tls": True,
        "host": f"shop{mark}.example.com",
        "ambassador_id": [f"edge{mark}", "internal"],
        "timeout_ms": 4000,
        "connect_timeout_ms": 3000,
        "use_websocket": True,
        "headers": {"x-api-version": f"2{mark}", "x-internal": True, "x-tenant": True},
        "query_parameters": {"channel": f"web{mark}", "preview": True},
        "add_request_headers": {
            "x-request-source": f"edge{mark}",
            "x-trace": {"append": False, "value": "on"},
            "x-empty": None,
        },
        "add_response_headers": {"strict-transport-security": f"max-age=31536000{mark}"},
        "remove_request_headers": f"x-debug{mark}",
        "remove_response_headers": [f"server{mark}", "x-powered-by"],
        "cors": {
            "origins": f"https://shop{mark}.example.com,https://admin.example.com",
            "methods": [f"GET{mark}", "POST"],
            "headers": f"Content-Type{mark}",
            "credentials": True,
            "max_age": "86400",
        },
        "labels": {
            "ambassador": [
                {"per_client": ["remote_address", {"client": client}]},
                {"per_route": [f"orders{mark}", {"generic_key": "checkout"}]},
            ]
        },
        "retry_policy": {"retry_on": "5xx", "num_retries": 3},
        "circuit_breakers": [{"max_connections": 2048, "max_pending_requests": 512}],
        "load_balancer": {
            "policy": "ring_hash",
            "cookie": {"name": "shop-affinity", "ttl": "60s"},
        },
    }
