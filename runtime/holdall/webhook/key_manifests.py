"""A keyring as Kubernetes objects: Secrets, and the patch of a CRD's conversion."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from holdall.types import JsonObject
from holdall.webhook import key_files
from holdall.webhook.keyring import Keyring


def secrets_of(keyring: Keyring, name: str, namespace: str) -> list[JsonObject]:
    """Return the Secret that servers mount, and the one that only rotation needs.

    The second holds the authority's keys: whoever reads it can impersonate the webhook.
    """
    server = {
        key_files.CERTIFICATE: keyring.server.certificate,
        key_files.KEY: keyring.server.key,
        key_files.BUNDLE: keyring.trusted,
    }
    authority = {key_files.BUNDLE: keyring.trusted, key_files.SIGNER_KEY: keyring.signer.key}
    if keyring.successor is not None:
        authority[key_files.SUCCESSOR_KEY] = keyring.successor.key
    return [
        _secret(name, namespace, "kubernetes.io/tls", server),
        _secret(f"{name}-ca", namespace, "Opaque", authority),
    ]


def patches_of(keyring: Keyring, crds: Sequence[str]) -> list[JsonObject]:
    """Return a patch for each CRD, to be applied server-side: it owns `caBundle` and no more.

    Source: webhook contract, section 11, "own only `caBundle`".
    """
    bundle = base64.b64encode(keyring.trusted).decode()
    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}},
        }
        for name in crds
    ]


def _secret(name: str, namespace: str, kind: str, data: dict[str, bytes]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": kind,
        "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
    }
