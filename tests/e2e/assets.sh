#!/usr/bin/env bash
# Supplies kube-apiserver, etcd and kubectl for the end-to-end tests, and prints where they are.
#
# KUBEBUILDER_ASSETS, if set, names the folder that has all three; nothing is built then. Else the
# apiserver comes from ${XDG_CACHE_HOME:-~/.cache}/holdall/e2e/1.20.2, and is built into it when it
# is missing: from the source of Debian's package `kubernetes`, of which Debian itself builds the
# client only. That takes minutes, 2.5 GB of scratch space, and root when packages are missing.
# etcd and kubectl come from PATH. The apt sources of the machine are read and not changed.
#
# Exit codes: 0 all there, 1 a fault, 3 this machine cannot be supplied (no apt, or not root).
set -euo pipefail

version=1.20.2
cache=${XDG_CACHE_HOME:-~/.cache}/holdall/e2e
server=$cache/$version/kube-apiserver
reflect2=/usr/share/gocode/src/github.com/modern-go/reflect2

say() { echo "e2e assets: $*" >&2; }
die() { say "$*"; exit 1; }
cannot() { say "$*"; exit 3; }

main() {
    if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
        for name in kube-apiserver etcd kubectl; do
            [ -x "$KUBEBUILDER_ASSETS/$name" ] || die "KUBEBUILDER_ASSETS is set to" \
                "$KUBEBUILDER_ASSETS, which has no executable $name; add it or unset the variable"
        done
        echo "$KUBEBUILDER_ASSETS"
        return
    fi
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock --nonblock 9 || { say "waiting for another run to finish"; flock 9; }
    command -v etcd >/dev/null || install_packages etcd-server
    command -v kubectl >/dev/null || install_packages kubernetes-client
    [ -x "$server" ] || build
    echo "${server%/*}"
}

build() {
    install_packages golang-1.19-go golang-github-modern-go-reflect2-dev openssl
    rm -rf "$cache/building."*
    scratch=$(mktemp -d "$cache/building.XXXXXX")
    log=$scratch/log
    trap 'status=$?; [ $status -eq 0 ] || tail -n 30 "$log" >&2; rm -rf "$scratch"' EXIT
    say "building kube-apiserver $version, which takes some minutes"
    download
    say "compiling"
    export version scratch reflect2
    nice -n 10 bash -euo pipefail -c "$(declare -f compile); compile" >>"$log" 2>&1
    "$scratch/kube-apiserver" --version >>"$log"
    mkdir -p "${server%/*}"
    mv "$scratch/kube-apiserver" "$server" # on one file system, so nobody sees half of it
    say "done: $server"
}

# Installs those of the packages that are missing.
install_packages() {
    local missing=()
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || cannot "no apt-get here for ${missing[*]};" \
        "set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl"
    [ "$(id -u)" = 0 ] || cannot "packages are missing; run: apt-get install ${missing[*]}"
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    (
        policy=/usr/sbin/policy-rc.d
        if [ ! -e $policy ]; then # nobody asked for a running etcd
            trap 'rm -f $policy' EXIT
            printf '#!/bin/sh\nexit 101\n' >$policy
            chmod +x $policy
        fi
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update >&2
        apt-get -qq -o Dpkg::Use-Pty=0 install --yes --no-install-recommends "${missing[@]}" >&2
    )
}

# Downloads the source package with an apt of its own, whose sources are the machine's with `deb`
# replaced by `deb-src`. Signatures are checked as ever.
download() {
    say "downloading the source package"
    local apt=$scratch/apt parts=$scratch/apt/parts
    mkdir -p "$apt"/{parts,state/lists/partial,cache/archives/partial}
    touch "$apt/none"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
        [ -e "$file" ] || continue
        sed -E 's/^deb[[:space:]]/deb-src /; s/^Types:.*/Types: deb-src/' "$file" \
            >"$parts/${file##*/}"
    done
    local options=(
        -o Dir::Etc::SourceList="$apt/none" -o Dir::Etc::SourceParts="$parts"
        -o Dir::State="$apt/state" -o Dir::Cache="$apt/cache"
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none
    )
    # A foreign source without source packages is no reason to stop.
    apt-get "${options[@]}" update >>"$log" 2>&1 || true
    (cd "$scratch" && apt-get "${options[@]}" source --download-only kubernetes >>"$log" 2>&1) ||
        die "the package mirror of this machine does not give the source package kubernetes"
    tar -C "$scratch" -xzf "$scratch"/kubernetes_*.orig.tar.gz
    [ -d "$scratch/kubernetes-$version" ] ||
        die "expected the source of kubernetes $version, found:" "$scratch"/kubernetes_*.orig.tar.gz
}

compile() {
    export GOPATH=$scratch/gopath GOCACHE=$scratch/gocache GO111MODULE=off CGO_ENABLED=0
    export PATH=/usr/lib/go-1.19/bin:$PATH
    local tree=$GOPATH/src/k8s.io/kubernetes packages
    local vendored=vendor/github.com/modern-go/reflect2
    local validate=vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go
    local zero='reflect.DeepEqual(reflect.Zero(reflect.TypeOf(data)), reflect.ValueOf(data))'
    mkdir -p "${tree%/*}"
    mv "$scratch/kubernetes-$version" "$tree"
    cd "$tree"
    rm -r $vendored # 1.0.1 crashes on the first custom resource with Go 1.18 and newer
    cp -r "$reflect2" $vendored
    # With Go 1.18 and newer this comparison takes an empty string for a null and refuses it.
    grep -qF "$zero" $validate
    sed -i "s/ || $zero//" $validate
    go build -o "$scratch/openapi-gen" k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
    packages=$(grep -rl --include='*.go' '+k8s:openapi-gen=true' pkg staging/src/k8s.io |
        xargs -n1 dirname | sort -u |
        grep -v -e sample -e /test -e code-generator -e apiserver/pkg/apis/example |
        sed -e 's#^staging/src/#vendor/#' -e 's#^#k8s.io/kubernetes/#' | paste -sd,)
    [ "$(tr , '\n' <<<"$packages" | wc -l)" -eq 75 ] || { echo "not 75: $packages"; exit 1; }
    "$scratch/openapi-gen" -i "$packages" -O zz_generated.openapi \
        -p k8s.io/kubernetes/pkg/generated/openapi \
        --go-header-file hack/boilerplate/boilerplate.generatego.txt \
        -r "$scratch/violations.txt" -o "$GOPATH/src"
    go build -o "$scratch/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver
}

main
