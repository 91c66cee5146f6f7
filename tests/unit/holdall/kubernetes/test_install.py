"""Installing: CRDs depend on the webhook last, foreign fields stay, and repeating is harmless."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from holdall.cli import main
from holdall.kubernetes.install.checks import PROBE, cases_of, probe
from holdall.kubernetes.install.cluster import Answer, InstallError
from holdall.kubernetes.install.plan import plan_changes, select_crds
from holdall.kubernetes.install.procedure import Installation, Options
from holdall.kubernetes.install.rescue import backup_text, rescue, rescue_values
from holdall.kubernetes.install.target import Target
from holdall.scheme.scheme import Scheme
from holdall.webhook.certificates import new_authority
from tests.support.fake_cluster import FakeCluster, crd
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

NAME = "things.example.com"
ENDPOINTS = "/api/v1/namespaces/ops/endpoints/hook"


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A small project's scheme."""
    root = tmp_path_factory.mktemp("project")
    return scheme_of(build_project(root, THING_CONFIG, THING_FILES))


@pytest.fixture(scope="module")
def ca() -> bytes:
    """A CA that was made for this run."""
    return certificate()


def certificate() -> bytes:
    """Return the certificate of a new CA."""
    from datetime import UTC, datetime, timedelta

    now = datetime.now(UTC)
    return new_authority("test", now, timedelta(days=2)).certificate


@pytest.fixture
def target(ca: bytes) -> Target:
    """The webhook behind a Service."""
    return Target(service="hook", namespace="ops", ca=ca)


@pytest.fixture
def cluster(scheme: Scheme) -> FakeCluster:
    """A cluster with the CRD and a webhook that is ready and right."""
    found = FakeCluster([crd()], scheme.review)
    found.objects[ENDPOINTS] = {"subsets": [{"addresses": [{"ip": "10.0.0.1"}]}]}
    return found


Install = Callable[..., Installation]
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def install(cluster: FakeCluster, target: Target, scheme: Scheme) -> Install:
    """What installs without waiting, the usual target or another one."""

    def run(other: Target = target, **options: Any) -> Installation:
        chosen = Options(**{"seconds": 0.0, "way": "proxy", **options})
        found = Installation(cluster, other, [scheme], chosen, pause=lambda _: None)
        found.install()
        return found

    return run


def recorded(cluster: FakeCluster) -> list[Any]:
    """Return the list of stanzas by which the API server will ask the webhook."""
    seen: list[Any] = []

    def reach(stanza: Any) -> str:
        seen.append(stanza)
        return ""

    cluster.reach = reach
    return seen


def codes(error: pytest.ExceptionInfo[InstallError]) -> list[str]:
    """Return the codes of the problems of an error."""
    return [problem.code for problem in error.value.problems]


# --- the order ---


def test_crds_come_last(cluster: FakeCluster, install: Install, target: Target) -> None:
    """The webhook is waited for, asked for every pair of versions, probed, and only then used."""
    install()
    methods = [
        "endpoints"
        if path == ENDPOINTS
        else "review"
        if "/proxy/" in path
        else "probe"
        if path.endswith("/probes")
        else "patch"
        for method, path in cluster.requests
        if path == ENDPOINTS or "/proxy/" in path or path.endswith("/probes") or method == "PATCH"
    ]
    assert methods == ["endpoints", "review", "review", "probe", "patch", "patch", "patch"]
    assert cluster.stanza(NAME) == target.stanza()
    assert PROBE not in cluster.crds


def test_not_ready(cluster: FakeCluster, install: Install) -> None:
    """Without a ready pod, or without a Service, no CRD is touched."""
    unready: dict[str, Any] = {"subsets": [{"notReadyAddresses": [{}]}]}
    for objects in ({ENDPOINTS: unready}, dict[str, Any]()):
        cluster.objects = objects
        with pytest.raises(InstallError) as error:
            install()
        assert codes(error) == ["HA884"]
    assert cluster.writes() == []


def test_wrong_answers(cluster: FakeCluster, install: Install, scheme: Scheme) -> None:
    """Every pair of versions that is answered wrongly is reported, and no CRD is touched."""
    cluster.webhook = lambda body: b"{}"
    with pytest.raises(InstallError) as error:
        install()
    assert codes(error) == ["HA885"] * len(list(cases_of([scheme]))) == ["HA885"] * 2
    assert cluster.writes() == []


def test_versions_that_only_the_crd_has(cluster: FakeCluster, install: Install) -> None:
    """The webhook must know what servers will ask it for: versions that are served or stored."""
    cluster.change(
        NAME,
        lambda spec: spec["versions"].extend(
            {**spec["versions"][0], "name": name, "served": served, "storage": False}
            for name, served in (("v3", True), ("v0", False))
        ),
    )
    with pytest.raises(InstallError) as error:
        install()
    assert codes(error) == ["HA885"] * 4
    said = "".join(problem.message for problem in error.value.problems)
    assert "Thing from example.com/v3 to example.com/v1: " in said
    assert "v0" not in said
    assert cluster.writes() == []


def test_no_answers(cluster: FakeCluster, install: Install) -> None:
    """A proxy that answers in the webhook's place is one problem, not one for each case."""
    cluster.proxy_status = 503
    with pytest.raises(InstallError, match="HTTP status 503") as error:
        install()
    assert codes(error) == ["HA885"]


@pytest.mark.parametrize(
    "reason",
    [
        'Post "https://hook.ops.svc:443/convert?timeout=30s": x509: certificate signed by unknown '
        "authority",
        'Post "https://hook.ops.svc:443/convert?timeout=30s": EOF',
        "the server could not find the requested resource",
        'an error on the server ("") has prevented the request from succeeding',
        'service "hook" not found',
    ],
)
def test_not_trusted(cluster: FakeCluster, install: Install, reason: str) -> None:
    """What the API server says of a webhook that it does not reach or trust ends it."""
    cluster.reach = lambda stanza: reason
    with pytest.raises(InstallError, match="HA886") as error:
        install()
    assert reason in str(error.value)
    assert cluster.writes() == []
    assert PROBE not in cluster.crds


def test_the_probe_uses_the_final_stanza(
    cluster: FakeCluster, target: Target, scheme: Scheme
) -> None:
    """What the API server is made to try is what CRDs get, CA included; leftovers are no harm."""
    seen = recorded(cluster)
    assert probe(cluster, target, 0, pause=lambda _: None) == []
    cluster.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", b"{}")
    assert probe(cluster, target, 0, pause=lambda _: None) == []
    assert seen == [target.stanza(), target.stanza()]


# --- what is written, and whose it is ---


def test_repeating_writes_nothing(cluster: FakeCluster, install: Install) -> None:
    """A second run finds nothing to change."""
    install()
    cluster.requests.clear()
    assert install().installed == []
    assert cluster.writes() == []


def test_ownership(cluster: FakeCluster, install: Install) -> None:
    """The CA has a manager of its own; the strategy's former owner is no obstacle."""
    install()
    assert cluster.owners(NAME) == {
        "holdall": {
            "strategy",
            "webhook.conversionReviewVersions",
            "webhook.clientConfig.service.name",
            "webhook.clientConfig.service.namespace",
            "webhook.clientConfig.service.path",
            "webhook.clientConfig.service.port",
        },
        "holdall-ca": {"webhook.clientConfig.caBundle"},
    }


def test_rotation_touches_the_bundle_only(
    cluster: FakeCluster, install: Install, target: Target
) -> None:
    """One request sets caBundle; where the webhook is stays, whoever changed it since."""
    install()

    def move(stanza: Any) -> None:
        stanza["webhook"]["clientConfig"]["service"]["port"] = 8443

    cluster.update(NAME, "gitops", move)
    cluster.requests.clear()
    other = Target(ca=target.ca + certificate())
    seen = recorded(cluster)
    done = install(other, scope="ca")
    assert done.installed == [NAME]
    assert cluster.writes() == [NAME]
    assert seen == [cluster.stanza(NAME)]
    client = cluster.stanza(NAME)["webhook"]["clientConfig"]
    assert client["caBundle"] == base64.b64encode(other.ca).decode()
    assert client["service"] == {
        "namespace": "ops",
        "name": "hook",
        "path": "/convert",
        "port": 8443,
    }


def test_foreign_fields(cluster: FakeCluster, install: Install, target: Target) -> None:
    """A webhook that somebody else manages is reported field by field, and taken over by force."""

    def elsewhere(stanza: Any) -> None:
        stanza.update(
            strategy="Webhook",
            webhook={
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"url": "https://a.example.com", "caBundle": "AAAA"},
            },
        )

    cluster.update(NAME, "helm", elsewhere)
    with pytest.raises(InstallError) as error:
        install()
    assert codes(error) == ["HA883", "HA883"]
    assert "clientConfig.url (of helm)" in str(error.value)
    assert "clientConfig.caBundle (of helm)" in str(error.value)
    assert cluster.writes() == []
    install(takes_over=True)
    assert cluster.stanza(NAME) == target.stanza()


def test_an_injected_bundle_stays(cluster: FakeCluster, install: Install, target: Target) -> None:
    """Without --ca the bundle of another manager is kept, and is what the checks trust."""
    install()
    injected = base64.b64encode(target.ca).decode()

    def inject(stanza: Any) -> None:
        stanza["webhook"]["clientConfig"]["caBundle"] = injected
        stanza["webhook"]["conversionReviewVersions"] = ["v1", "v1beta1"]

    cluster.update(NAME, "cainjector", inject)
    seen = recorded(cluster)
    install(Target(service="hook", namespace="ops"), takes_over=True)
    assert cluster.stanza(NAME)["webhook"]["clientConfig"]["caBundle"] == injected
    assert cluster.stanza(NAME)["webhook"]["conversionReviewVersions"] == ["v1"]
    assert seen[-1]["webhook"]["clientConfig"]["caBundle"] == injected


def test_an_interrupted_run_is_completed(
    cluster: FakeCluster, install: Install, target: Target
) -> None:
    """A bundle that was left under the manager of the rest is not lost by a run without --ca."""

    def stop(method: str, path: str) -> None:
        if len(cluster.writes()) == 1 and method == "PATCH":
            raise KeyboardInterrupt

    cluster.before = stop
    with pytest.raises(KeyboardInterrupt):
        install()
    cluster.before = lambda method, path: None
    assert "webhook.clientConfig.caBundle" in cluster.owners(NAME)["holdall"]
    install(Target(service="hook", namespace="ops", path="/other"))
    client = cluster.stanza(NAME)["webhook"]["clientConfig"]
    assert client["caBundle"] == base64.b64encode(target.ca).decode()
    assert client["service"]["path"] == "/other"


def test_a_change_meanwhile(cluster: FakeCluster, install: Install) -> None:
    """A CRD that changes between plan and write is refused; nothing is overwritten."""

    def interfere(method: str, path: str) -> None:
        if method == "PATCH":
            cluster.before = lambda method, path: None

            def change(stanza: Any) -> None:
                stanza["strategy"] = "None"

            cluster.update(NAME, "other", change)

    cluster.before = interfere
    with pytest.raises(InstallError, match="modified"):
        install()
    assert cluster.stanza(NAME) == {"strategy": "None"}


def test_one_version_is_left_alone(target: Target, scheme: Scheme) -> None:
    """A CRD of one version is never converted, and its stanza stays as it is."""
    assert plan_changes([crd(versions=("v1",))], target) == []


def test_missing_crds(cluster: FakeCluster, scheme: Scheme) -> None:
    """All CRDs that are not there are named, with the nearest that is."""
    found, problems = select_crds(cluster, [], ["thing.example.com", NAME, "x.example.com"])
    assert [item["metadata"]["name"] for item in found] == [NAME]  # type: ignore[index, call-overload]
    assert [problem.code for problem in problems] == ["HA881", "HA881"]
    assert f'did you mean "{NAME}"' in problems[0].message
    _, problems = select_crds(FakeCluster([], scheme.review), [scheme], [])
    assert "a CRD of Thing in example.com" in problems[0].message


@pytest.mark.parametrize(
    "wrong",
    [
        Target(url="http://a.example.com"),
        Target(url="https://a.example.com/?x=1"),
        Target(service="Hook", namespace="ops"),
        Target(service="hook", namespace="ops", path="convert"),
        Target(service="hook", namespace="ops", ca=b"no certificate"),
    ],
)
def test_wrong_targets(cluster: FakeCluster, install: Install, wrong: Target) -> None:
    """A target that an API server would refuse is refused before anything is asked."""
    with pytest.raises(InstallError, match="HA887"):
        install(wrong)
    assert cluster.requests == []


def test_wrong_authorities(cluster: FakeCluster, install: Install) -> None:
    """A CA that is none is refused; one that is in the CRD already is a finding of the check."""
    install()
    cluster.requests.clear()
    with pytest.raises(InstallError, match="HA887"):
        install(Target(ca=b"none"), scope="ca")
    assert cluster.requests == []

    def spoil(stanza: Any) -> None:
        stanza["webhook"]["clientConfig"]["caBundle"] = "bm9uZQ=="

    cluster.update(NAME, "other", spoil)
    with pytest.raises(InstallError, match="its CA cannot be read"):
        install(Target(service="hook", namespace="ops"), way="direct")


# --- the way out ---


def test_rescue(cluster: FakeCluster, install: Install) -> None:
    """Conversion is turned off whoever owns it, and the backup says how it was."""
    install()
    before = cluster.stanza(NAME)
    (value,) = rescue_values([cluster.crds[NAME]])
    assert value["conversion"] == before
    script = backup_text([value])
    assert f"kubectl patch crd {NAME} --type merge --field-manager holdall" in script
    patch = script.partition(" -p '")[2].partition("'")[0]
    assert json.loads(patch) == {"spec": {"conversion": before}}
    rescue(cluster, NAME)
    assert cluster.stanza(NAME) == {"strategy": "None"}
    assert rescue_values([cluster.crds[NAME]]) == []
    install()
    assert cluster.stanza(NAME) == before


# --- the command ---


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project's folder."""
    return build_project(tmp_path / "project", THING_CONFIG, THING_FILES)


@pytest.fixture
def command(
    cluster: FakeCluster,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """What runs `holdall install` on the fake cluster: its exit code, output and errors."""
    monkeypatch.setattr("holdall.cli.install.KubernetesCluster", lambda *_: cluster)

    def run(*arguments: str, root: Path = project) -> tuple[int, str, str]:
        code = main(["--project", str(root), "install", *arguments])
        return code, *capsys.readouterr()

    return run


def test_dry_run(cluster: FakeCluster, ca: bytes, project: Path, command: Command) -> None:
    """A dry run shows the change as a diff, asks nothing but CRDs, and exits with 1."""
    file = project / "ca.crt"
    file.write_bytes(ca)
    code, shown, _ = command("--dry-run", "--service", "hook.ops", "--ca", str(file))
    assert code == 1
    assert f"+++ b/{NAME}\n" in shown
    assert '-    strategy: "None"\n+    strategy: Webhook\n' in shown
    assert "+        caBundle: 1 certificate, digest " in shown
    assert {method for method, _ in cluster.requests} == {"GET"}


def test_a_diff_shows_what_changes(target: Target) -> None:
    """Not the order in which a server has the members."""
    stanza: Any = target.stanza()
    webhook = stanza["webhook"]
    stanza["webhook"] = {name: webhook[name] for name in reversed(webhook)}
    made = crd()
    made["spec"]["conversion"] = json.loads(json.dumps(stanza).replace("/convert", "/old"))
    (change,) = plan_changes([made], target)
    changed = [line[1:] for line in change.diff().splitlines()[3:] if line[0] in "+-"]
    assert [line.split()[1:] for line in changed] == [["/old"], ["/convert"]]


def test_apply(command: Command) -> None:
    """`--apply` says what it does; a second time there is nothing to change, and a dry run is 0."""
    arguments = ("--service", "hook.ops", "--through", "proxy", "--wait", "0")
    code, shown, _ = command("--apply", *arguments)
    assert code == 0
    assert shown.splitlines() == [
        "the webhook is served",
        "2 synthetic reviews are answered (through the API server's proxy)",
        "the API server reaches and trusts the webhook",
        f"{NAME} uses the webhook",
    ]
    code, shown, _ = command("--apply", *arguments)
    assert (code, "nothing to change" in shown) == (0, True)
    assert command("--dry-run", *arguments)[0] == 0


def test_the_declared_webhook(cluster: FakeCluster, tmp_path: Path, command: Command) -> None:
    """Without --service and --url the webhook is where holdall.yaml says, and asked as it says."""
    declared = (
        "    crd:\n      conversion:\n        review_versions: [v1beta1, v1]\n"
        "        service: {namespace: ops, name: hook, port: 8443}\n"
    )
    root = build_project(tmp_path / "declared", THING_CONFIG + declared, THING_FILES)
    assert command("--apply", "--through", "proxy", root=root)[0] == 0
    assert cluster.stanza(NAME)["webhook"]["clientConfig"]["service"] == {
        "namespace": "ops",
        "name": "hook",
        "path": "/convert",
        "port": 8443,
    }
    assert cluster.stanza(NAME)["webhook"]["conversionReviewVersions"] == ["v1beta1", "v1"]


def test_rescue_command(
    cluster: FakeCluster, install: Install, tmp_path: Path, command: Command
) -> None:
    """The rescue warns, keeps the stanza, and works without a project, or with a broken one."""
    install()
    (tmp_path / "holdall.yaml").write_text(": [")
    backup = tmp_path / "again.sh"
    arguments = ("--rescue", "--crd", NAME, "--backup", str(backup))
    assert command("--dry-run", *arguments, root=tmp_path)[0] == 1
    assert cluster.stanza(NAME)["strategy"] == "Webhook"
    code, shown, _ = command("--apply", *arguments, root=tmp_path)
    assert (code, "those fields are lost for good" in shown) == (0, True)
    assert cluster.stanza(NAME) == {"strategy": "None"}
    assert "kubectl patch crd" in backup.read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--dry-run", "--apply"),
        ("--apply",),
        ("--apply", "--url", "https://a", "--service", "a.b"),
        ("--apply", "--ca-only"),
    ],
)
def test_wrong_use(cluster: FakeCluster, command: Command, arguments: tuple[str, ...]) -> None:
    """What contradicts itself is wrong use: exit code 2, and the cluster is not asked."""
    assert command(*arguments)[0] == 2
    assert cluster.requests == []


def test_deployed_manifests(cluster: FakeCluster, project: Path, command: Command) -> None:
    """Manifests are applied first, and Deployments waited for."""
    manifest = project / "deploy.yaml"
    manifest.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: hook, namespace: ops}\n"
        "spec: {replicas: 2}\nstatus: {availableReplicas: 2, updatedReplicas: 1}\n"
    )
    cluster.objects["/apis/apps/v1"] = {
        "resources": [{"name": "deployments", "kind": "Deployment", "namespaced": True}]
    }
    arguments = ("--apply", "--service", "hook.ops", "--wait", "0", "--through", "proxy")
    deploy = ("--deploy", str(manifest))
    code, _, said = command(*arguments, *deploy)
    assert (code, "HA884 hook: the Deployment hook is not rolled out" in said) == (1, True)
    assert cluster.writes() == []
    manifest.write_text(manifest.read_text().replace("updatedReplicas: 1", "updatedReplicas: 2"))
    code, shown, _ = command(*arguments, *deploy)
    assert (code, shown.startswith("applied 1 manifest\nrolled out\n")) == (0, True)


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ("{kind: Kustomization, apiVersion: kustomize.config.k8s.io/v1beta1}", "render it"),
        ("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}", "separately"),
        ("{a: 1}", "no apiVersion or kind"),
        ("- a", "no apiVersion or kind"),
        ("{kind: List, apiVersion: v1, items: [null]}", "no apiVersion or kind"),
    ],
)
def test_manifests_that_are_none(
    cluster: FakeCluster, project: Path, command: Command, manifest: str, words: str
) -> None:
    """What cannot be applied is refused with its line, before anything happens."""
    file = project / "deploy.yaml"
    file.write_text(manifest)
    code, _, shown = command("--apply", "--url", "https://a.example.com", "--deploy", str(file))
    assert code == 2
    assert "HA888" in shown and "deploy.yaml:1" in shown and words in shown
    assert cluster.requests == []


def test_answers() -> None:
    """The message of an answer is that of a Status, else its text."""
    assert Answer(500, b'{"kind": "Status", "message": "a\\n b"}').message == "a b"
    assert Answer(404, b"404 page not found\n").message == "404 page not found"
    assert Answer(503, b"").message == "HTTP status 503"


# --- the client ---


class _Server(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def do_PATCH(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        said = {
            "path": self.path,
            "content": self.headers["Content-Type"],
            "token": self.headers["Authorization"],
            "body": body.decode(),
        }
        data = json.dumps(said).encode()
        self.send_response(409)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def kubeconfig(folder: Path, server: str) -> Path:
    """Write a kubeconfig for a server."""
    file = folder / "kubeconfig"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file.write_text(json.dumps(config))
    return file


def test_the_client(tmp_path: Path) -> None:
    """A request arrives as it was sent, with the user's token; any status is an answer."""
    from holdall.kubernetes.install.client import KubernetesCluster

    with HTTPServer(("127.0.0.1", 0), _Server) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        file = kubeconfig(tmp_path, f"http://127.0.0.1:{server.server_port}")
        answer = KubernetesCluster(file).send(
            "PATCH", "/apis/x?force=true", b"{}", content="application/apply-patch+yaml"
        )
        thread.join()
    assert answer.status == 409
    assert answer.value == {
        "path": "/apis/x?force=true",
        "content": "application/apply-patch+yaml",
        "token": "Bearer secret",
        "body": "{}",
    }


@pytest.mark.parametrize(
    "text", [b": [", b"[]", b"\xff", b"current-context: x\nclusters: 5", b"clusters: [{name: 1}]"]
)
def test_a_kubeconfig_that_is_none(text: bytes, tmp_path: Path) -> None:
    """Whatever a file holds, an error says that it leads to no cluster."""
    from holdall.kubernetes.install.client import KubernetesCluster

    file = tmp_path / "kubeconfig"
    file.write_bytes(text)
    with pytest.raises(InstallError, match="no cluster can be configured"):
        KubernetesCluster(file)


def test_no_cluster(tmp_path: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that does not answer, or a context that is none, is exit code 2 with the way out."""
    file = kubeconfig(tmp_path, "http://127.0.0.1:9")
    arguments = ["--project", str(project), "install", "--dry-run", "--service", "hook.ops"]
    for more in (["--kubeconfig", str(file)], ["--kubeconfig", str(file), "--context", "no"]):
        assert main([*arguments, *more]) == 2
        shown = capsys.readouterr().err
        assert shown.startswith("HA880") and "--context NAME" in shown
