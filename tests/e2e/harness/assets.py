"""Finds kube-apiserver, etcd and kubectl, by the same rule as `assets.sh`, which supplies them."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

VERSION: Final = "1.20.2"


class AssetsMissing(Exception):
    """Programs that the suite needs are not here. The text says which, and how to supply them."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The programs of a control plane."""

    apiserver: Path
    etcd: Path
    kubectl: Path


def find_assets() -> Assets:
    """Return the programs. Raises AssetsMissing; builds and installs nothing."""
    given = os.environ.get("KUBEBUILDER_ASSETS")
    if given:
        found = {name: _executable(Path(given) / name) for name in _NAMES}
        places = {name: f"{name} in KUBEBUILDER_ASSETS" for name in _NAMES}
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        server = cache / "holdall/e2e" / VERSION / "kube-apiserver"
        found = {"kube-apiserver": _executable(server), "etcd": _on_path("etcd")}
        found["kubectl"] = _on_path("kubectl")
        places = {"kube-apiserver": "kube-apiserver in the user's cache folder"}
        places.update({name: f"{name} on PATH" for name in ("etcd", "kubectl")})
    missing = [places[name] for name in _NAMES if found[name] is None]
    apiserver, etcd, kubectl = (found[name] for name in _NAMES)
    if apiserver is None or etcd is None or kubectl is None:
        raise AssetsMissing(
            f"the end-to-end tests lack {', '.join(missing)}; either run `make e2e`, which builds "
            "and installs what is missing from Debian's packages, or let KUBEBUILDER_ASSETS name a "
            "folder with kube-apiserver, etcd and kubectl"
        )
    return Assets(apiserver, etcd, kubectl)


def find_newer() -> Path:
    """Return the newer server of custom resources alone. Raises AssetsMissing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = _executable(cache / "holdall/e2e/newer/apiextensions-apiserver")
    if found is None:
        raise AssetsMissing(
            "the newer apiextensions-apiserver is not in the user's cache folder; `make e2e-newer` "
            "builds it from Debian's packages, in ten minutes"
        )
    return found


_NAMES: Final = ("kube-apiserver", "etcd", "kubectl")


def _executable(path: Path) -> Path | None:
    return path if os.access(path, os.X_OK) and path.is_file() else None


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return None if found is None else Path(found)
