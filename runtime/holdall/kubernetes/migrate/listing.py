"""All objects of a resource, page by page, also when the server has forgotten where it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

from holdall.errors import Problem
from holdall.kubernetes.install.cluster import REFUSED, Answer, Cluster, InstallError
from holdall.kubernetes.migrate.resources import Resource
from holdall.types import JsonObject, get, is_json_object, items, text

PAGE: Final = 500
"""Objects of one page. Source: webhook contract, section 10."""

_GONE: Final = 410
_TRIES: Final = 5


class Listing:
    """The objects of a resource at its storage version, from the page at a continue token on.

    `token` is where the page in hand begins, `total` how many objects there are from there on, as
    far as the server says. A token that is too old is replaced by the inconsistent one that the
    server offers, and where it offers none, everything is listed again from the start: whoever
    iterates must be prepared to see an object twice.
    """

    def __init__(self, cluster: Cluster, resource: Resource, token: str = "") -> None:
        """Get the first page. Raises InstallError."""
        self._cluster = cluster
        self._resource = resource
        self.token = token
        self._page: JsonObject = {}
        self._get(token)
        remaining = get(self._page, "metadata", "remainingItemCount")
        self.total = len(items(self._page, "items"))
        self.total += remaining if isinstance(remaining, int) else 0

    def __iter__(self) -> Iterator[JsonObject]:
        while True:
            for item in items(self._page, "items"):
                if is_json_object(item):
                    yield item
            following = text(self._page, "metadata", "continue")
            if not following:
                return
            self._get(following)

    def _get(self, token: str) -> None:
        answer = self._ask(token)
        for _ in range(_TRIES):
            if answer.status != _GONE:
                break
            token = text(answer.value, "metadata", "continue")
            answer = self._ask(token)
        if not answer.is_fine:
            message = f"the objects cannot be listed: {answer.message}"
            fix = "see the message of the server; `holdall migrate` can then be run again"
            raise InstallError([Problem(REFUSED, self._resource.name, message, fix)])
        self.token = token
        self._page = answer.value

    def _ask(self, token: str) -> Answer:
        query = {"limit": str(PAGE), **({"continue": token} if token else {})}
        return self._cluster.send("GET", f"{self._resource.path}?{urlencode(query)}")
