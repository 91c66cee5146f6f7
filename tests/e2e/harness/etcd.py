"""What is stored: reads and plants the bytes of objects, past the API server."""

from __future__ import annotations

import base64
import http.client
import json
from contextlib import closing
from typing import Any


class Etcd:
    """An etcd server, over its JSON gateway. Keys are those of one API server's `prefix`."""

    def __init__(self, port: int, prefix: str = "/registry") -> None:
        """Remember where it is."""
        self._port = port
        self._prefix = prefix

    def is_healthy(self) -> bool:
        """Tell whether the server answers and has a leader."""
        try:
            with closing(self._connect()) as connection:
                connection.request("GET", "/health")
                return b"true" in connection.getresponse().read()
        except OSError:
            return False

    def read(self, key: str) -> bytes | None:
        """Return the bytes stored under `<group>/<plural>/<namespace>/<name>`; None if none."""
        found = self._call("range", {"key": self._key(key)}).get("kvs")
        return base64.b64decode(found[0]["value"]) if found else None

    def object(self, key: str) -> Any:
        """Return the stored object, parsed. Fails if there is none."""
        data = self.read(key)
        assert data is not None, f"nothing is stored under {key}"
        return json.loads(data)

    def plant(self, key: str, value: Any) -> None:
        """Store an object, or bytes that are none."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        body = {"key": self._key(key), "value": base64.b64encode(data).decode()}
        self._call("put", body)

    def remove(self, key: str) -> None:
        """Delete what is stored under a key."""
        self._call("deleterange", {"key": self._key(key)})

    def _key(self, key: str) -> str:
        return base64.b64encode(f"{self._prefix}/{key}".encode()).decode()

    def _call(self, verb: str, body: dict[str, str]) -> Any:
        with closing(self._connect()) as connection:
            connection.request("POST", f"/v3/kv/{verb}", json.dumps(body))
            answer = connection.getresponse()
            data = answer.read()
        assert answer.status == 200, data
        return json.loads(data)

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
