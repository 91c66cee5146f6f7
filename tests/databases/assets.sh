#!/usr/bin/env bash
# Supplies a server for the tests of databases, and prints the folder of its programs:
# `assets.sh postgresql` that of POSTGRES_BIN or the newest that Debian installed, `assets.sh mariadb`
# that of MARIADB_BIN or of the path; else Debian's package, installed as root. `assets.sh mysql`
# prints that of MYSQL_BIN, or unpacks the MySQL of Debian's unstable into build/mysql.
#
# Exit codes: 0 there, 3 this machine cannot be supplied.
set -euo pipefail

mysql="$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")/build/mysql"

case "$1" in
    postgresql) package=postgresql named=POSTGRES_BIN ;;
    mariadb) package=mariadb-server named=MARIADB_BIN ;;
    mysql) package=mysql-server-core named=MYSQL_BIN ;;
esac

there() {
    case "$1" in
        postgresql) ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 ;;
        mariadb) PATH="$PATH:/usr/sbin" command -v mariadbd | xargs -r dirname ;;
        mysql) if [ -x "$mysql/bin/mysqld" ]; then echo "$mysql/bin"; fi ;;
    esac
}

cannot() {
    echo "no server of $1 here: install it, or name its programs in $named" >&2
    exit 3
}

install() {
    if [ "$(id -u)" != 0 ]; then cannot "$1"; fi
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package"
}

# Debian's stable releases have no MySQL, and that of unstable needs libraries that they do not have
# either. So it is unpacked with all that it needs, down to the loader, and nothing is installed.
unpack() {
    local part="$mysql.part" mirror loader
    mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | sed -n 1p)"
    if [ -z "$mirror" ]; then cannot "$1"; fi
    rm -rf "$mysql" "$part"
    mkdir -p "$part"/apt/{lists,archives}/partial "$part/bin"
    echo "deb $mirror unstable main" >"$part/apt/sources.list"
    : >"$part/apt/status"
    apt() {
        apt-get -o Dir::Etc::SourceList="$part/apt/sources.list" -o Dir::Etc::SourceParts=- \
            -o Dir::State="$part/apt" -o Dir::State::Lists="$part/apt/lists" \
            -o Dir::State::Status="$part/apt/status" -o Dir::Cache="$part/apt" \
            -o Dir::Cache::Archives="$part/apt/archives" -o Debug::NoLocking=1 "$@"
    }
    apt update
    apt install -y --no-install-recommends --download-only "$package"
    for file in "$part"/apt/archives/*.deb; do
        dpkg-deb --extract "$file" "$part/root"
    done
    rm -rf "$part/apt"
    loader="$(cd "$part/root" && ls usr/lib/*/ld-linux-*.so.* | head -n 1)"
    cat >"$part/bin/mysqld" <<WRAPPER
#!/bin/sh
# MySQL of Debian's unstable with its own loader and libraries.
root="\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/root"
exec "\$root/$loader" --library-path "\$root/$(dirname "$loader")" \\
    "\$root/usr/sbin/mysqld" "\$@" --basedir="\$root/usr" --lc-messages-dir="\$root/usr/share/mysql"
WRAPPER
    chmod +x "$part/bin/mysqld"
    "$part/bin/mysqld" --no-defaults --version
    mv "$part" "$mysql"
}

if [ -n "${!named:-}" ]; then echo "${!named}"; exit; fi
if [ -z "$(there "$1" || true)" ]; then
    if ! command -v apt-get >/dev/null; then cannot "$1"; fi
    case "$1" in mysql) supply=unpack ;; *) supply=install ;; esac
    set +e # no || here: it would let a function go on after what fails in it
    (
        set -e
        "$supply" "$1"
    ) >&2
    supplied=$?
    set -e
    if [ "$supplied" != 0 ]; then exit 3; fi
fi
there "$1"
