"""All commands by task: what they do, what they need, and an example of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdall.cli.lazy import LazyCommand

# Task, extra, package; then what each command does, and an example, which names it.
_TABLE: Final = """
Develop codegen holdall_codegen.commands
    Write a commented holdall.yaml.
    holdall init crds --deploy --ci github
    Write types, converters and protocols.
    holdall generate
    Show what happens to every property.
    holdall plan --only pulled
    Follow one property through the versions.
    holdall explain Pool/spec/size --from v1 --to v2
    Make a page that shows the whole project.
    holdall explore --serve --open
    Write the start of a hook, or list hooks.
    holdall hooks scaffold PoolSpec v1..v2
    Add, deprecate or retire a version.
    holdall version add v3 --from v2
    Make the CRDs of all kinds.
    holdall crd --into manifests/crds.yaml
    Draw the versions and their edges.
    holdall graph --svg
Check codegen holdall_codegen.commands
    Verify configuration, plan, files and hooks.
    holdall check
    Show what `generate` would change.
    holdall diff
    Find what breaks users or stored objects.
    holdall breaking --against origin/main
Check cli holdall.cli
    Check that conversions lose nothing.
    holdall laws samples
    Examine CRDs.
    holdall doctor crds
    List what is in the property bags.
    holdall audit objects.yaml
Check conform holdall.cli
    Test a conversion webhook.
    holdall conform https://127.0.0.1:9443/convert
Run cli holdall.cli
    Convert objects to another version.
    holdall convert objects --to v2 -o converted
Run sql holdall.cli
    Rewrite documents in a database.
    holdall rewrite sqlite:///shop.db --table parcels --column doc --to v2 --dry-run
    Drop what is kept for rollbacks.
    holdall settle sqlite:///shop.db --table parcels --column doc --to v2
Run webhook holdall.cli
    Serve conversions as a webhook.
    holdall serve --cert tls.crt --key tls.key
    Make and renew the webhook's certificates.
    holdall certs create keys --ip 127.0.0.1
Run k8s holdall.cli
    Make a cluster use the webhook.
    holdall install --dry-run
    Rewrite objects in the storage version.
    holdall migrate --apply --rate 20/s
Shell cli holdall.cli
    Complete commands, versions, kinds and types.
    holdall completion --install
"""

# Examples of commands in groups; the entry of the group says what they need.
_INNER: Final = """
holdall hooks scaffold PoolSpec v1..v2 --two-way
holdall hooks list --bound
holdall version add v3 --from v2
holdall version deprecate v1 --dry-run
holdall version unserve v1
holdall version retire v1
holdall certs create keys --service holdall-webhook.holdall-system
holdall certs rotate keys
holdall certs show keys --within 30
"""


def _commands() -> Iterator[tuple[str, LazyCommand]]:
    inner: dict[str, dict[str, str]] = {}
    for example in _INNER.strip().splitlines():
        _, group, name, *_ = example.split()
        inner.setdefault(group, {})[name] = example
    lines = iter(_TABLE.strip().splitlines())
    task = extra = package = ""
    for line in lines:
        if not line.startswith(" "):
            task, extra, package = line.split()
            continue
        example = next(lines).strip()
        name = example.split()[1]
        target = f"{package}.{name}:command"
        own = inner.get(name, {})
        yield name, LazyCommand(target, line.strip(), extra, task, example, own)


COMMANDS: Final[Mapping[str, LazyCommand]] = dict(_commands())
