"""The applications that are compared, each on the same server: `python -m bench.webhook.apps`.

Arguments: a JSON object with `app` (echo, dictionary, holdall), `project`, `cert`, `key`,
`workers`. Prints the port once it serves.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from holdall.review.reviewer import Reviewed
from holdall.scheme.projects import load_schemes
from holdall.webhook.answers import Header, Receive, Scope, Send
from holdall.webhook.app import Webhook
from holdall.webhook.launch import launch
from holdall.webhook.server import Listeners, ServerOptions, listen
from holdall.webhook.tls import ServingCertificate


class Echo(Webhook):
    """The limit of ASGI on this server: reads a body and sends it back."""

    def is_plain(self, method: bytes, url: bytes, headers: list[Header]) -> bool:
        """Leave all requests to ASGI."""
        return False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Echo a request."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        body = (await receive())["body"]
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Dictionary:
    """What one writes by hand: decode, move the one field, encode; nothing is checked or kept."""

    _decode = msgspec.json.Decoder().decode
    _encode = msgspec.json.Encoder().encode

    def review(self, body: bytes) -> Reviewed:
        """Answer a review of accounts at v1 for v2."""
        review = self._decode(body)
        request = review["request"]
        for item in request["objects"]:
            item["apiVersion"] = request["desiredAPIVersion"]
            spec = item["spec"]
            spec["quota"] = spec.pop("poolQuota", None)
        response = {
            "uid": request["uid"],
            "result": {"status": "Success"},
            "convertedObjects": request["objects"],
        }
        reply = {
            "apiVersion": review["apiVersion"],
            "kind": review["kind"],
            "response": response,
        }
        return Reviewed(200, self._encode(reply), objects=len(request["objects"]))


def make(app: str, project: Path) -> Webhook:
    """Return one of the applications, on the converters of a project."""
    if app == "echo":
        return Echo(())
    if app == "dictionary":
        return Webhook((), reviewer=Dictionary())
    return Webhook(load_schemes(project))


def main(arguments: dict[str, Any]) -> None:
    """Serve until a signal ends it."""
    listeners = Listeners(listen("127.0.0.1", 0))
    port = listeners.main.getsockname()[1]
    launch(
        make(arguments["app"], Path(arguments["project"])),
        listeners,
        certificate=ServingCertificate(Path(arguments["cert"]), Path(arguments["key"])),
        options=ServerOptions(drain=0),
        workers=arguments["workers"],
        ready=lambda: print(port, flush=True),
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
