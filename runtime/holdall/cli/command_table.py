"""All commands by task: what they do, what they need, and an example of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdall.cli.lazy import LazyCommand

_GENERATOR: Final = "holdall_codegen.commands"
_OWN: Final = "holdall.cli"

# Task, extra, package; then name, what it does, example.
_TABLE: Final = (
    (
        ("Develop", "codegen", _GENERATOR),
        ("init", "Write a commented holdall.yaml.", "holdall init crds --deploy --ci github"),
        ("generate", "Write types, converters and protocols.", "holdall generate"),
        ("plan", "Show what happens to every property.", "holdall plan --only pulled"),
        (
            "explain",
            "Follow one property through the versions.",
            "holdall explain PoolSpec/size --from v1 --to v2",
        ),
        ("explore", "Make a page that shows the whole project.", "holdall explore --serve --open"),
        ("hooks", "Start and list hooks.", "holdall hooks scaffold PoolSpec v1..v2"),
        ("version", "Add a version, and let it go.", "holdall version add v3 --from v2"),
        ("crd", "Make the CRDs of all kinds.", "holdall crd --into manifests/crds.yaml"),
        ("graph", "Draw the versions and their edges.", "holdall graph --svg"),
    ),
    (
        ("Check", "codegen", _GENERATOR),
        ("check", "Verify configuration, plan, files and hooks.", "holdall check"),
        ("diff", "Show what `generate` would change.", "holdall diff"),
        (
            "breaking",
            "Find what breaks users or stored objects.",
            "holdall breaking --against origin/main",
        ),
    ),
    (
        ("Check", "cli", _OWN),
        ("laws", "Check that conversions lose nothing.", "holdall laws --objects samples"),
        ("doctor", "Examine CRDs.", "holdall doctor crds"),
        ("audit", "List what is in the property bags.", "holdall audit objects.yaml"),
    ),
    (
        ("Check", "conform", _OWN),
        ("conform", "Test a conversion webhook.", "holdall conform https://127.0.0.1:9443/convert"),
    ),
    (
        ("Run", "cli", _OWN),
        (
            "convert",
            "Convert objects to another version.",
            "holdall convert objects --to v2 -o converted",
        ),
    ),
    (
        ("Run", "sql", _OWN),
        (
            "rewrite",
            "Rewrite documents in a database.",
            "holdall rewrite sqlite:///shop.db --table parcels --column doc --to v2 --dry-run",
        ),
        (
            "settle",
            "Drop what only the way back of rows needed.",
            "holdall settle sqlite:///shop.db --table parcels --column doc --to v2",
        ),
    ),
    (
        ("Run", "webhook", _OWN),
        ("serve", "Serve conversions as a webhook.", "holdall serve --cert tls.crt --key tls.key"),
        (
            "certs",
            "Make and renew the webhook's certificates.",
            "holdall certs create keys --ip 127.0.0.1",
        ),
    ),
    (
        ("Run", "k8s", _OWN),
        ("install", "Make a cluster use the webhook.", "holdall install --dry-run"),
        (
            "migrate",
            "Rewrite objects in the storage version.",
            "holdall migrate --apply --rate 20/s",
        ),
    ),
    (
        ("Shell", "cli", _OWN),
        (
            "completion",
            "Complete commands, versions, kinds and types.",
            "holdall completion --install",
        ),
    ),
)

# The commands of groups; their groups say what they need.
_INNER: Final[Mapping[str, Mapping[str, str]]] = {
    "hooks": {
        "scaffold": "holdall hooks scaffold PoolSpec v1..v2 --two-way",
        "list": "holdall hooks list --bound",
    },
    "version": {
        "add": "holdall version add v3 --from v2",
        "deprecate": "holdall version deprecate v1 --dry-run",
        "unserve": "holdall version unserve v1",
        "retire": "holdall version retire v1",
    },
    "certs": {
        "create": "holdall certs create keys --service holdall-webhook.holdall-system",
        "rotate": "holdall certs rotate keys",
        "show": "holdall certs show keys --within 30",
    },
}


def _commands() -> Iterator[tuple[str, LazyCommand]]:
    for (task, extra, package), *commands in _TABLE:
        for name, text, example in commands:
            yield (
                name,
                LazyCommand(
                    f"{package}.{name}:command", text, extra, task, example, _INNER.get(name, {})
                ),
            )


COMMANDS: Final[Mapping[str, LazyCommand]] = dict(_commands())
