"""A cluster, reached and authenticated with the package `kubernetes`.

Uses only parts that all releases since 31 share: reading a kubeconfig, and connections.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import urllib3
from kubernetes import client, config

from holdall.errors import Problem
from holdall.kubernetes.install.cluster import CONNECTION, JSON, Answer, InstallError

_SECONDS = 60.0
_FIX = "name a kubeconfig or a context that works: --kubeconfig FILE, --context NAME"


class KubernetesCluster:
    """The cluster of a kubeconfig, or the one that this process runs in."""

    def __init__(self, kubeconfig: Path | None = None, context: str | None = None) -> None:
        """Read the configuration; nothing is sent yet. Raises InstallError."""
        configuration: Any = client.Configuration()
        loaders: Any = config  # the package has no annotations
        try:
            try:
                loaders.load_kube_config(
                    str(kubeconfig) if kubeconfig else None,
                    context,
                    client_configuration=configuration,
                )
            except config.ConfigException:
                if kubeconfig or context:
                    raise
                loaders.load_incluster_config(client_configuration=configuration)
        except Exception as error:  # of a malformed file the package raises whatever comes of it
            text = f"no cluster can be configured: {' '.join(str(error).split())}"
            raise InstallError([Problem(CONNECTION, "", text, _FIX)]) from error
        self._configuration = configuration
        self._pool: Any = client.ApiClient(configuration).rest_client.pool_manager

    def send(
        self, method: str, path: str, body: bytes | None = None, *, content: str = JSON
    ) -> Answer:
        """Send one request. Raises InstallError if the server cannot be reached."""
        headers = {"Accept": JSON, "Content-Type": content, "User-Agent": "holdall"}
        for setting in self._configuration.auth_settings().values():
            if setting["in"] == "header" and setting["value"]:
                headers[setting["key"]] = setting["value"]
        host = self._configuration.host
        try:
            response = self._pool.request(
                method, f"{host}{path}", body=body, headers=headers, timeout=_SECONDS, retries=False
            )
        except urllib3.exceptions.HTTPError as error:
            text = f"the cluster at {host} does not answer: {error}"
            raise InstallError([Problem(CONNECTION, host, text, _FIX)]) from error
        return Answer(response.status, response.data)
