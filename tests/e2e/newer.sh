#!/usr/bin/env bash
# Builds the API server of custom resources alone, apiextensions-apiserver, as new as Debian has it: it
# judges the CEL rules that kube-apiserver 1.20.2 drops. Its sources are Debian's packages
# golang-k8s-apiextensions-apiserver-dev and what they depend on, from the suite unstable (1.36 in
# 2026); so is the Go compiler. Nothing is installed: packages are unpacked into scratch space, by an
# apt of its own that takes the machine's mirror and key. It takes ten minutes, and 2.5 GB of scratch space.
#
# The program goes to ${XDG_CACHE_HOME:-~/.cache}/holdall/e2e/newer, unless it is there already.
# Exit codes: 0 it is there, 1 a fault, 3 this machine cannot be supplied (no apt).
set -euo pipefail

place=${XDG_CACHE_HOME:-~/.cache}/holdall/e2e/newer
program=apiextensions-apiserver
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

[ ! -x "$place/$program" ] || { echo "$place"; exit 0; }
command -v apt-get >/dev/null || { echo "e2e newer: no apt-get here" >&2; exit 3; }
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | sed -n 's/ [a-z]*$//p' | head -n 1)
[ -n "$mirror" ] || { echo "e2e newer: apt has no source of Debian's packages" >&2; exit 3; }
mkdir -p "$place"
scratch=$(mktemp -d "$place/building.XXXXXX")
log=$scratch/log
trap 'status=$?; [ $status -eq 0 ] || tail -n 30 "$log" >&2; rm -rf "$scratch"' EXIT
mkdir -p "$scratch"/apt/{parts,state/lists/partial,cache/archives/partial} "$scratch"/{tree,gopath}
touch "$scratch"/{none,status}
printf 'deb [signed-by=%s] %s unstable main\n' "$keyring" "$mirror" >"$scratch/apt/parts/unstable.list"
options=(
    -o Dir::Etc::SourceList="$scratch/none" -o Dir::Etc::SourceParts="$scratch/apt/parts"
    -o Dir::State="$scratch/apt/state" -o Dir::State::status="$scratch/status"
    -o Dir::Cache="$scratch/apt/cache" -o APT::Sandbox::User="$(id -un)"
    -o Acquire::Languages=none -o APT::Install-Recommends=false
)
echo "e2e newer: downloading" >&2
apt-get "${options[@]}" update >>"$log" 2>&1
apt-get "${options[@]}" --yes --download-only install \
    golang-k8s-apiextensions-apiserver-dev golang-go >>"$log" 2>&1
for package in "$scratch"/apt/cache/archives/golang-*.deb; do
    dpkg-deb --extract "$package" "$scratch/tree"
done
ln -s "$scratch/tree/usr/share/gocode/src" "$scratch/gopath/src"
echo "e2e newer: compiling, which takes some minutes" >&2
GOROOT=$(echo "$scratch"/tree/usr/lib/go-1.*)
export GOROOT GOPATH=$scratch/gopath GOCACHE=$scratch/gocache
export GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local
nice -n 10 "$GOROOT/bin/go" build -o "$scratch/$program" k8s.io/apiextensions-apiserver >>"$log" 2>&1
mv "$scratch/$program" "$place/$program"
echo "$place"
