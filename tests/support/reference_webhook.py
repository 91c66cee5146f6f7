"""A correct conversion webhook on the standard library alone; tests spoil it method by method.

It converts the kind of `CRD`: v1 (stored) and v3 know `weight` of parts and the status's `detail`,
v2 does not and knows `note` instead; the color has another name in each. What a version cannot
express waits in two annotations, one for the spec and one for the status.
"""

from __future__ import annotations

import gzip
import json
import math
import pickle
import re
import signal
import ssl
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GROUP = "conform.example.com"
NAMES = {"v1": "color", "v2": "shade", "v3": "tint"}
SPEC_BAG, STATUS_BAG = "ref.example.com/bag", "ref.example.com/status-bag"
LIMIT = 128 << 20
ANNOTATIONS = 262144
_LARGE = 64 * 1024


def _schema(version: str) -> dict[str, Any]:
    text, whole = {"type": "string"}, {"type": "integer"}
    part: dict[str, Any] = {"name": text}
    status: dict[str, Any] = {"phase": text}
    spec: dict[str, Any] = {
        NAMES[version]: text,
        "size": whole,
        "ratio": {"type": "number"},
        "tags": {"type": "array", "items": text},
        "labels": {"type": "object", "additionalProperties": text},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    }
    if version == "v2":
        spec["note"] = text
    else:
        part["weight"] = whole
        status["detail"] = text
    spec["parts"] = {
        "type": "array",
        "items": {"type": "object", "properties": part, "required": ["name"]},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }
    properties = {
        "spec": {"type": "object", "properties": spec},
        "status": {"type": "object", "properties": status},
    }
    return {"type": "object", "properties": properties}


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "conversion": {
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1", "v1beta1"]},
        },
        "versions": [
            {
                "name": version,
                "served": True,
                "storage": version == "v1",
                "schema": {"openAPIV3Schema": _schema(version)},
                "subresources": {"status": {}},
            }
            for version in NAMES
        ],
    },
}


class Impossible(Exception):
    """An object cannot be converted."""


class Unreadable(Exception):
    """A body is no review."""


class Reference:
    """The correct webhook. A spoilt one overrides a method."""

    max_at_once = 64
    idle_seconds: float | None = None

    # --- reviews ---

    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        """Return HTTP status and JSON document of the reply to a body."""
        try:
            review = self.read(body)
            request = review["request"]
            uid, objects = request["uid"], request["objects"] or []
        except (Unreadable, KeyError, TypeError) as error:
            return 400, self.status(400, f"no review: {type(error).__name__}")
        try:
            converted = self.convert_all(objects, request["desiredAPIVersion"], deadline)
            response = {"result": {"status": "Success"}, "convertedObjects": converted}
        except Impossible as error:
            result = {"status": "Failure", "message": str(error)[:1000]}
            response = {"result": result, "convertedObjects": []}
        except TimeoutError:
            return 504, self.status(504, "too late")
        return 200, self.reply(review, {"uid": uid, **response})

    def read(self, body: bytes) -> Any:
        """Return the review of a body."""
        try:
            review = json.loads(body)
        except ValueError as error:
            raise Unreadable from error
        if not isinstance(review, dict) or review.get("kind") != "ConversionReview":
            raise Unreadable
        return review

    def reply(self, review: Any, response: Any) -> Any:
        """Return the reply to a review."""
        return {
            "apiVersion": review["apiVersion"],
            "kind": "ConversionReview",
            "response": response,
        }

    def status(self, code: int, message: str) -> Any:
        """Return a v1 Status."""
        return {
            "apiVersion": "v1",
            "kind": "Status",
            "status": "Failure",
            "message": message,
            "code": code,
        }

    def convert_all(self, objects: list[Any], desired: str, deadline: float) -> list[Any]:
        """Convert the objects one by one."""
        results = []
        for index, obj in enumerate(objects):
            if time.monotonic() > deadline:
                raise TimeoutError
            try:
                self.check_values(obj, "")
                results.append(self.convert(obj, desired))
            except Impossible as error:
                raise Impossible(self.message(obj, index, str(error))) from error
        return results

    def message(self, obj: Any, index: int, cause: str) -> str:
        """Return the text of a failure."""
        named = obj if isinstance(obj, dict) else {}
        metadata = named.get("metadata")
        own = metadata if isinstance(metadata, dict) else {}
        name = f"{own.get('namespace', '')}/{own.get('name', '')}"
        return f"{named.get('apiVersion')} {named.get('kind')} {name} (object {index}): {cause}"

    def check_values(self, value: Any, path: str) -> None:
        """Refuse what is no JSON."""
        if isinstance(value, dict):
            for key, item in value.items():
                self.check_values(item, f"{path}/{key}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self.check_values(item, f"{path}/{index}")
        elif isinstance(value, float) and not math.isfinite(value):
            raise Impossible(f"{path}: no number")
        elif isinstance(value, str) and re.search("[\ud800-\udfff]", value):
            raise Impossible(f"{path}: a lone surrogate")

    # --- objects ---

    def convert(self, obj: Any, desired: str) -> Any:
        """Return one object at the desired apiVersion."""
        if not isinstance(obj, dict):
            raise Impossible("/: no object")
        source = self.version(obj.get("apiVersion"))
        target = self.version(desired)
        if obj.get("kind") != "Widget":
            raise Impossible("/kind: unknown")
        if source == target:
            return obj
        if obj.get("metadata") is not None and not isinstance(obj["metadata"], dict):
            raise Impossible("/metadata: no object")
        result = pickle.loads(pickle.dumps(obj))  # a deep copy, several times faster
        result["apiVersion"] = desired
        if result.get("metadata") is None:
            result["metadata"] = {}
        spec, status = result.get("spec"), result.get("status")
        if spec is not None:
            result["spec"] = spec = self.spec(spec, source, target)
        bags = self.take_bags(result)
        if isinstance(spec, dict):
            self.restore_spec(spec, bags.get(SPEC_BAG, {}), target)
        if isinstance(status, dict):
            self.restore_status(status, bags.get(STATUS_BAG, {}), target)
        self.put_bags(
            result,
            {
                SPEC_BAG: self.keep_spec(spec, bags.get(SPEC_BAG, {}), target),
                STATUS_BAG: self.keep_status(status, bags.get(STATUS_BAG, {}), target),
            },
        )
        return result

    def version(self, api_version: Any) -> str:
        """Return the version of an apiVersion."""
        group, _, version = str(api_version).rpartition("/")
        if group != GROUP or version not in NAMES:
            raise Impossible("/apiVersion: unknown")
        return version

    def spec(self, spec: Any, source: str, target: str) -> Any:
        """Rename the color, and look at the shape of the parts."""
        if not isinstance(spec, dict):
            raise Impossible("/spec: no object")
        parts = spec.get("parts")
        if parts is not None and not (
            isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
        ):
            raise Impossible("/spec/parts: no list of objects")
        return {NAMES[target] if key == NAMES[source] else key: spec[key] for key in spec}

    def take_bags(self, obj: Any) -> dict[str, Any]:
        """Remove the bags from the annotations, and return those that can be read."""
        annotations = obj["metadata"].get("annotations")
        found = {}
        if isinstance(annotations, dict):
            for key in (SPEC_BAG, STATUS_BAG):
                if key in annotations:
                    bag = self.read_bag(annotations.pop(key))
                    if bag is not None:
                        found[key] = bag
            if found and not annotations:
                del obj["metadata"]["annotations"]
        return found

    def read_bag(self, text: Any) -> Any:
        """Return the contents of a bag; None for what is none of ours."""
        try:
            bag = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            return None
        if not isinstance(bag, dict) or bag.get("kind") != "Widget" or bag.get("v", 1) != 1:
            return None
        return bag

    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        """Take from the bag what the target knows and the source did not."""
        if target == "v2":
            if "note" in bag:
                spec.setdefault("note", bag.pop("note"))
        else:
            weights = bag.pop("weights", {})
            for part in spec.get("parts") or []:
                if part.get("name") in weights:
                    part.setdefault("weight", weights[part["name"]])

    def restore_status(self, status: Any, bag: Any, target: str) -> None:
        """Take from the bag what the target knows and the source did not."""
        if target != "v2" and "detail" in bag:
            status.setdefault("detail", bag.pop("detail"))

    def keep_spec(self, spec: Any, bag: Any, target: str) -> dict[str, Any]:
        """Take out of the spec what the target does not know, and return it with the old bag."""
        kept = {key: bag[key] for key in ("note", "weights") if key in bag}
        if isinstance(spec, dict) and target == "v2":
            weights = {
                part["name"]: part.pop("weight")
                for part in spec.get("parts") or []
                if "weight" in part and isinstance(part.get("name"), str)
            }
            kept |= {"weights": weights} if weights else {}
        elif isinstance(spec, dict) and "note" in spec:
            kept["note"] = spec.pop("note")
        return kept

    def keep_status(self, status: Any, bag: Any, target: str) -> dict[str, Any]:
        """Take out of the status what the target does not know."""
        kept = {"detail": bag["detail"]} if "detail" in bag and isinstance(status, dict) else {}
        if isinstance(status, dict) and target == "v2" and "detail" in status:
            kept["detail"] = status.pop("detail")
        return kept

    def put_bags(self, obj: Any, bags: dict[str, dict[str, Any]]) -> None:
        """Write the bags that hold something into annotations, if there is room."""
        metadata = obj["metadata"]
        for key, contents in bags.items():
            if not contents:
                continue
            own = metadata.get("annotations") or {}
            text = json.dumps({"v": 1, "kind": "Widget", **contents}, sort_keys=True)
            size = sum(len(k.encode()) + len(str(t).encode()) for k, t in own.items())
            if size + len(key) + len(text) <= ANNOTATIONS:
                metadata["annotations"] = {**own, key: text}

    # --- HTTP ---

    def seconds(self, query: str) -> float:
        """Return the seconds that a query leaves."""
        found = re.search(r"timeout=([0-9.]+)(ms|s)", query)
        if found is None:
            return 30.0
        return float(found[1]) / (1000 if found[2] == "ms" else 1)

    def encode(self, document: Any) -> bytes:
        """Return the bytes of a reply."""
        return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()

    def encoding(self, accepted: str, size: int) -> str:
        """Return the content encoding of a reply."""
        return "gzip" if "gzip" in accepted and size > _LARGE else ""

    def path_is_known(self, path: str) -> bool:
        """Tell whether a path is served."""
        return path == "/convert" or path.startswith("/convert/")

    def media_type_is_known(self, value: str) -> bool:
        """Tell whether a Content-Type is accepted."""
        return value.partition(";")[0] == "application/json"

    def reads_chunks(self) -> bool:
        """Tell whether chunked bodies are understood."""
        return True

    def says_continue(self) -> bool:
        """Tell whether `Expect: 100-continue` is answered."""
        return True

    def refused_method(self) -> int:
        """Return the status for all methods but POST."""
        return 405

    def too_large(self, size: int) -> bool:
        """Tell whether a body of a size is refused."""
        return size > LIMIT

    def closes(self, status: int, document: Any) -> bool:
        """Tell whether the connection ends after a reply."""
        return status >= 500

    def busy(self) -> list[tuple[str, str]]:
        """Return the headers of a 503."""
        return [("Retry-After", "1")]

    def send(self, handler: Handler, head: bytes, body: bytes) -> None:
        """Write a reply to the socket."""
        handler.wfile.write(head + body)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def setup(self) -> None:
        """Wait as long as the webhook says."""
        super().setup()
        self.connection.settimeout(self.server.webhook.idle_seconds)

    def handle_expect_100(self) -> bool:
        """Say that the body is welcome, in one segment of its own."""
        if self.server.webhook.says_continue():
            return super().handle_expect_100()
        return True

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def parse_request(self) -> bool:
        """Answer all methods here."""
        if not super().parse_request():
            return False
        if self.command != "POST":
            self._answer(self.server.webhook.refused_method(), {"kind": "Status"}, [])
            return False
        return True

    def do_POST(self) -> None:
        """Answer a review."""
        webhook, server = self.server.webhook, self.server
        length = int(self.headers.get("Content-Length", "0"))
        path, _, query = self.path.partition("?")
        if webhook.too_large(length):
            self.close_connection = True
            self._answer(413, webhook.status(413, "too large"), [])
            return
        body = self._body(length)
        if not webhook.path_is_known(path):
            self._answer(404, webhook.status(404, "unknown path"), [])
        elif not webhook.media_type_is_known(self.headers.get("Content-Type", "")):
            self._answer(415, webhook.status(415, "unknown media type"), [])
        elif server.draining or not server.hands.acquire(blocking=False):
            self._answer(503, webhook.status(503, "busy"), webhook.busy())
        else:
            try:
                deadline = time.monotonic() + webhook.seconds(query)
                status, document = webhook.answer(body, deadline)
            finally:
                server.hands.release()
            self._answer(status, document, [])

    def _body(self, length: int) -> bytes:
        chunked = self.headers.get("Transfer-Encoding", "").lower() == "chunked"
        if not chunked or not self.server.webhook.reads_chunks():
            return self.rfile.read(length)
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, status: int, document: Any, headers: list[tuple[str, str]]) -> None:
        webhook = self.server.webhook
        body = webhook.encode(document)
        encoding = webhook.encoding(self.headers.get("Accept-Encoding", ""), len(body))
        if encoding == "gzip":
            body = gzip.compress(body, 1, mtime=0)
        fields = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *([("Content-Encoding", encoding)] if encoding else []),
            *headers,
        ]
        if webhook.closes(status, document) or self.close_connection:
            self.close_connection = True
            fields.append(("Connection", "close"))
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in fields]
        head = "\r\n".join([*lines, "", ""]).encode()
        webhook.send(self, head, b"" if self.command == "HEAD" else body)


class Server(ThreadingHTTPServer):
    """The server of a webhook; a context manager that serves meanwhile."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, webhook: Reference, certificates: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.webhook = webhook
        self.draining = False
        self.hands = threading.BoundedSemaphore(webhook.max_at_once)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.certificates = certificates
        self.load_certificate()

    def load_certificate(self) -> None:
        """Serve what lies in the folder now to new connections."""
        self.tls.load_cert_chain(self.certificates / "tls.crt", self.certificates / "tls.key")

    @property
    def url(self) -> str:
        """Where reviews are answered."""
        return f"https://127.0.0.1:{self.server_port}/convert"

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the thread of the connection."""
        with self.tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave broken connections alone."""

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def main() -> None:
    """Serve until SIGTERM, then send everybody away for a while."""
    abrupt = sys.argv[2:] == ["abrupt"]
    with Server(Reference(), Path(sys.argv[1])) as server:
        print(server.url, flush=True)
        ended = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: ended.set())
        signal.signal(signal.SIGHUP, lambda *_: server.load_certificate())
        while not ended.wait(0.05):
            pass
        if abrupt:
            return
        server.draining = True
        Reference.closes = lambda *_: True  # type: ignore[method-assign]
        time.sleep(1.0)
    time.sleep(0.5)  # what was accepted last is answered


if __name__ == "__main__":
    main()
