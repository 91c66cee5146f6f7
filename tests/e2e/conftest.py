"""One etcd and one API server for each process of the run, and what a failure shows of them.

The suite runs only when its folder or a file in it is named on the command line.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.harness.api import Api
from tests.e2e.harness.assets import Assets, AssetsMissing, find_assets, find_newer
from tests.e2e.harness.certificates import Authority
from tests.e2e.harness.cluster import Cluster, start_apiserver, start_etcd, start_newer
from tests.e2e.harness.processes import Program
from tests.e2e.harness.product import Product, Project, Server, make_project
from tests.e2e.harness.scenarios import ORDERS, Scenario, start_scenario
from tests.e2e.harness.webhooks import Webhook, converting, relabel

_HERE = Path(__file__).resolve().parent
_PROGRAMS = pytest.StashKey[list[Program]]()
_WEBHOOKS = pytest.StashKey[list[Webhook]]()

_SERVERS = pytest.StashKey[list[Server]]()

StartWebhook: TypeAlias = Callable[[], Webhook]
StartProduct: TypeAlias = Callable[..., Product]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the suite out of every run that does not name it."""
    named = (Path(text.partition("::")[0]).resolve() for text in config.args)
    return None if any(path.is_relative_to(_HERE) for path in named) else True


@pytest.fixture(scope="session")
def assets() -> Assets:
    """The programs; without them the suite is skipped, with a text that says how to get them."""
    try:
        return find_assets()
    except AssetsMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def etcd(
    assets: Assets, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[int]:
    """The client port of the process's etcd."""
    program, port = start_etcd(assets, tmp_path_factory.mktemp("etcd") / "etcd")
    pytestconfig.stash.setdefault(_PROGRAMS, []).append(program)
    yield port
    program.stop()


@pytest.fixture(scope="session")
def cluster(
    assets: Assets,
    etcd: int,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Cluster]:
    """The process's API server."""
    found = start_apiserver(assets, tmp_path_factory.mktemp("apiserver") / "registry", etcd)
    pytestconfig.stash[_PROGRAMS].append(found.program)
    yield found
    found.program.stop()


@pytest.fixture(scope="session")
def uncached(
    assets: Assets,
    etcd: int,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Cluster]:
    """A second API server, without watch caches; it shares etcd with the first, but no key."""
    folder = tmp_path_factory.mktemp("apiserver") / "uncached"
    found = start_apiserver(assets, folder, etcd, watch_cache=False)
    pytestconfig.stash[_PROGRAMS].append(found.program)
    yield found
    found.program.stop()


@pytest.fixture(scope="session")
def newer(
    cluster: Cluster,
    etcd: int,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Api]:
    """A newer server of custom resources, which judges CEL; skipped where nobody built it."""
    try:
        path = find_newer()
    except AssetsMissing as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("newer") / "newer"
    program, api = start_newer(path, folder, etcd, cluster)
    pytestconfig.stash[_PROGRAMS].append(program)
    yield api
    program.stop()


@pytest.fixture(scope="session")
def authority() -> Authority:
    """The authority of the test webhooks."""
    return Authority()


@pytest.fixture
def webhook(start_webhook: StartWebhook) -> Webhook:
    """A test webhook that changes the apiVersion only, until told otherwise."""
    return start_webhook()


@pytest.fixture(scope="session")
def start_webhook(
    authority: Authority, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[StartWebhook]:
    """Start test webhooks. They run until the end: watch caches ask long after a test."""
    with contextlib.ExitStack() as stack:

        def start() -> Webhook:
            found = Webhook(authority, authority.issue(tmp_path_factory.mktemp("webhook")))
            pytestconfig.stash.setdefault(_WEBHOOKS, []).append(found)
            return stack.enter_context(found)

        yield start


_NUMBERS = itertools.count(1)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    """An API group that nobody else uses; it tells the file of its test."""
    name = Path(request.node.path).stem.removeprefix("test_").replace("_", "-")
    return f"n{next(_NUMBERS)}.{name}.example.com"


@pytest.fixture(scope="module")
def start_product(
    authority: Authority, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[StartProduct]:
    """Serve a project, or the suite's own under a group, while the module's tests run."""
    servers = pytestconfig.stash[_SERVERS] = []

    def start(project: Project | str, *options: str) -> Product:
        folder = tmp_path_factory.mktemp("product")
        if isinstance(project, str):
            project = make_project(folder / "project", project)
        server = Server(project.root, folder, authority, "--drain", "0", *options)
        servers.append(server)
        return Product(project, server)

    yield start
    for server in servers:
        server.program.send(signal.SIGTERM)
    for server in servers:
        server.stop()


@pytest.fixture(params=["cached", "uncached"])
def server(request: pytest.FixtureRequest) -> Cluster:
    """Each of the two API servers."""
    found: Cluster = request.getfixturevalue("cluster" if request.param == "cached" else "uncached")
    return found


@pytest.fixture(params=ORDERS, ids=lambda order: "-".join(order))
def order(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Each order of `conversionReviewVersions`."""
    found: tuple[str, ...] = request.param
    return found


@pytest.fixture
def own_scenario(order: tuple[str, ...], server: Cluster, webhook: Webhook, group: str) -> Scenario:
    """The resource of the integration scenarios, for tests that change its CRD."""
    return start_scenario(server, webhook, group, order)


@pytest.fixture(scope="session")
def scenarios(start_webhook: StartWebhook) -> Callable[[Cluster, tuple[str, ...]], Scenario]:
    """The resources that the other tests share, one for each server and order of reviews."""

    @functools.cache
    def find(server: Cluster, order: tuple[str, ...]) -> Scenario:
        return start_scenario(server, start_webhook(), f"{order[0]}.shared.example.com", order)

    return find


@pytest.fixture
def scenario(
    order: tuple[str, ...],
    server: Cluster,
    scenarios: Callable[[Cluster, tuple[str, ...]], Scenario],
) -> Scenario:
    """The resource of the integration scenarios, in a namespace of the test's own."""
    found = scenarios(server, order)
    found.webhook.behave = converting(relabel)
    found.webhook.reviews.clear()
    return found.in_namespace(f"n{next(_NUMBERS)}")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which programs run."""
    try:
        found = find_assets()
    except AssetsMissing:
        return None
    return f"kube-apiserver: {found.apiserver}, etcd: {found.etcd}, kubectl: {found.kubectl}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the ends of the logs and the last reviews to the report of a failure."""
    report = yield
    if report.failed:
        servers = item.config.stash.get(_SERVERS, [])[-2:]
        programs = [server.program for server in servers]
        for program in [*item.config.stash.get(_PROGRAMS, []), *programs]:
            report.sections.append((f"log of {program.name}", program.last_lines()))
        for webhook in item.config.stash.get(_WEBHOOKS, [])[-1:]:
            last = list(webhook.reviews)[-10:]
            report.sections.append(("last reviews", "\n".join(map(json.dumps, last))))
    return report
