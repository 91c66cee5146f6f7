"""A Mapping of Emissary that uses what the hooks of the acceptance tests' project are for."""

from __future__ import annotations

from typing import Any

from bench.acceptance import SHARED

SCHEMAS = SHARED / "emissary/schemas/internal"


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
