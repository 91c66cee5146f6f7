"""The deployment files agree with each other, and with the server that they deploy."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import pytest

from holdall.cli import main
from holdall.cli.serve import command as serve
from holdall.kubernetes.install.target import Target
from holdall.text.yaml import load_all
from holdall.webhook.app import PROBES
from holdall.webhook.certificates import read_certificates
from holdall.webhook.server import ServerOptions

DEPLOY = Path(str(files("holdall_codegen.templates"))) / "deploy"
FILES = sorted(DEPLOY.rglob("*.yaml"))
SERVICE = "holdall-webhook.holdall-system"


def documents(path: Path) -> list[Any]:
    """Return the documents of a file, read strictly: no reader may take them otherwise."""
    return [document.value for document in load_all(path.read_bytes(), path.name)]


def resources(folder: Path) -> Iterator[Any]:
    """Yield all objects that a Kustomization leads to."""
    (kustomization,) = documents(folder / "kustomization.yaml")
    for name in kustomization["resources"]:
        path = folder / name
        if path.is_dir():
            yield from resources(path)
        else:
            yield from documents(path)


def one(folder: str, kind: str, name: str = "holdall-webhook") -> Any:
    """Return the one object of a kind and name in a variant."""
    (found,) = [
        item
        for item in resources(DEPLOY / folder)
        if (item["kind"], item["metadata"]["name"]) == (kind, name)
    ]
    return found


@pytest.fixture
def deployment() -> Any:
    """The Deployment."""
    return one("base", "Deployment")


@pytest.fixture
def container(deployment: Any) -> Any:
    """Its container."""
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return found


def options_of(container: Any) -> dict[str, Any]:
    """Return the options that the container gives to `holdall serve`, as the command reads them."""
    name, *arguments = container["args"]
    assert name == "serve"
    context = serve.make_context(name, list(arguments))
    return context.params


def port_of(container: Any, name: str) -> int:
    """Return the number of a named port of the container."""
    (number,) = [port["containerPort"] for port in container["ports"] if port["name"] == name]
    return int(number)


def test_every_file_is_used() -> None:
    """Each file is a Kustomization or is named by one; each has an apiVersion and a kind."""
    named = {path for path in FILES if path.name == "kustomization.yaml"}
    for path in list(named):
        for name in documents(path)[0]["resources"]:
            target = (path.parent / name).resolve()
            assert target.exists()
            named.add(target)
    assert set(FILES) <= named
    for path in FILES:
        for value in documents(path):
            assert value["apiVersion"] and value["kind"]


@pytest.mark.parametrize("variant", ["self-managed", "cert-manager"])
def test_one_namespace(variant: str) -> None:
    """Everything stands in one namespace, which is created."""
    for item in resources(DEPLOY / variant):
        metadata = item["metadata"]
        namespace = metadata["name"] if item["kind"] == "Namespace" else metadata["namespace"]
        assert namespace == "holdall-system"


def test_selectors(deployment: Any) -> None:
    """Deployment, Service, budget and spreading select the pods of the template."""
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert one("base", "Service")["spec"]["selector"] == labels
    assert one("base", "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    (spread,) = template["spec"]["topologySpreadConstraints"]
    assert spread["labelSelector"]["matchLabels"] == labels


def test_ports(container: Any) -> None:
    """The Service leads to the ports that the server is told to open."""
    options = options_of(container)
    assert port_of(container, "webhook") == options["port"]
    assert port_of(container, "metrics") == options["metrics_port"]
    targets = {port["name"]: port["targetPort"] for port in one("base", "Service")["spec"]["ports"]}
    assert targets == {"webhook": "webhook", "metrics": "metrics"}
    (port,) = [
        port["port"]
        for port in one("base", "Service")["spec"]["ports"]
        if port["name"] == "webhook"
    ]
    assert port == Target(service="a", namespace="b").port
    assert options["path"] == Target(service="a", namespace="b").path


def test_probes(container: Any) -> None:
    """Probes ask paths that the server has, where it serves, over TLS."""
    for name, path in (("startup", "/readyz"), ("readiness", "/readyz"), ("liveness", "/healthz")):
        probe = container[f"{name}Probe"]["httpGet"]
        assert probe == {"path": path, "port": "webhook", "scheme": "HTTPS"}
        assert path in PROBES


def test_times(deployment: Any, container: Any) -> None:
    """A pod may live until everything is drained, and is found unready before it is stuck."""
    options = options_of(container)
    _, before = container["lifecycle"]["preStop"]["exec"]["command"]
    needed = int(before) + options["drain"] + options["grace"]
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] >= needed + 5
    assert options["drain"] >= ServerOptions().drain


def test_availability(deployment: Any) -> None:
    """No rollout and no drain of a node leaves fewer than one pod."""
    spec = deployment["spec"]
    assert spec["replicas"] >= 2
    assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    budget = one("base", "PodDisruptionBudget")["spec"]
    assert 1 <= budget["minAvailable"] < spec["replicas"]


def test_restricted(deployment: Any, container: Any) -> None:
    """The pod fits the restricted pod security standard, and has no token."""
    pod = deployment["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert one("base", "ServiceAccount")["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] == "holdall-webhook"
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    security = container["securityContext"]
    assert security["allowPrivilegeEscalation"] is False
    assert security["readOnlyRootFilesystem"] is True
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"]["memory"]


def test_certificates_are_mounted(deployment: Any, container: Any) -> None:
    """The server reads the files of the Secret that is mounted, and the mode lets its group."""
    options = options_of(container)
    (volume,) = [
        item for item in deployment["spec"]["template"]["spec"]["volumes"] if "secret" in item
    ]
    (mount,) = [item for item in container["volumeMounts"] if item["name"] == volume["name"]]
    files = {f"{mount['mountPath']}/{item['path']}" for item in volume["secret"]["items"]}
    assert files == {str(options["cert"]), str(options["key"])}
    assert volume["secret"]["defaultMode"] == 0o440


def test_self_managed(tmp_path: Path, deployment: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The command in the comment prints the Secret that the pod mounts, with its Service's name."""
    text = (DEPLOY / "self-managed/kustomization.yaml").read_text()
    found = re.search(r"holdall certs create certs (.*) \| kubectl", text)
    assert found
    assert f"--service {SERVICE} " in found[0]
    folder = tmp_path / "certs"
    assert main(["certs", "create", str(folder), *found[1].split()]) == 0
    secret: Any = load_all(capsys.readouterr().out, "printed")[0].value
    volumes = deployment["spec"]["template"]["spec"]["volumes"]
    names = [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]
    assert [secret["metadata"]["name"]] == names
    assert secret["metadata"]["namespace"] == "holdall-system"
    certificate = read_certificates((folder / "tls.crt").read_bytes())[0]
    name, _, namespace = SERVICE.partition(".")
    assert Target(service=name, namespace=namespace).host in certificate.names


def test_cert_manager(deployment: Any) -> None:
    """cert-manager writes the mounted Secret, for the host that API servers ask."""
    certificate = one("cert-manager", "Certificate")["spec"]
    name, _, namespace = SERVICE.partition(".")
    assert certificate["dnsNames"][0] == Target(service=name, namespace=namespace).host
    volumes = deployment["spec"]["template"]["spec"]["volumes"]
    assert certificate["secretName"] in [
        volume["secret"]["secretName"] for volume in volumes if "secret" in volume
    ]
    issuer = one("cert-manager", "Issuer", certificate["issuerRef"]["name"])
    authority = one("cert-manager", "Certificate", "holdall-ca")["spec"]
    assert issuer["spec"]["ca"]["secretName"] == authority["secretName"]
    assert authority["isCA"] is True
    assert one("cert-manager", "Issuer", authority["issuerRef"]["name"])["spec"] == {
        "selfSigned": {}
    }


def test_the_image(deployment: Any) -> None:
    """The image runs the commands of this release, as the user of the pod."""
    text = (DEPLOY / "Dockerfile").read_text()
    checked = re.search(r'^RUN \["holdall", (.*)\]$', text, re.MULTILINE)
    assert checked
    arguments = [word.strip(' "') for word in checked[1].split(",")]
    assert arguments[:3] == ["--project", "/app", "serve"]
    assert isinstance(serve.make_context("serve", arguments[3:]), click.Context)
    user = deployment["spec"]["template"]["spec"]["securityContext"]["runAsUser"]
    assert re.search(rf"^USER {user}:", text, re.MULTILINE)
    assert 'ENTRYPOINT ["holdall", "--project", "/app"]' in text


@pytest.mark.parametrize(
    "wheels", [(), ("holdall-1-py3-none-any.whl", "uvicorn-2-py3-none-any.whl")]
)
def test_what_the_image_installs(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    """The release, or what is in the folder `wheels`; a shell runs the line of the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "")
    (script,) = re.findall(r"^RUN (set .*)$", text, re.MULTILINE)
    (tmp_path / "holdall.yaml").touch()
    for name in wheels:
        (tmp_path / name).touch()
    script = script.replace("/venv/bin/pip", "echo").replace("/wheels/", f"{tmp_path}/")
    printed = subprocess.run(
        ["sh", "-euc", script],
        env={"PATH": os.defpath, "HOLDALL_VERSION": "1.2.3"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    expected = [f"{tmp_path}/{name}" for name in wheels] or ["holdall[webhook]==1.2.3"]
    assert printed.split() == ["install", "--no-cache-dir", *expected]
