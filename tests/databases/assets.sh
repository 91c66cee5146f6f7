#!/usr/bin/env bash
# Supplies a server for the tests of databases, and prints the folder of its programs:
# `assets.sh postgresql` that of POSTGRES_BIN or the newest that Debian installed, `assets.sh mariadb`
# that of MARIADB_BIN or of the path; else Debian's package, installed as root.
#
# Exit codes: 0 there, 3 this machine cannot be supplied.
set -euo pipefail

case "$1" in
    postgresql) package=postgresql named=POSTGRES_BIN ;;
    mariadb) package=mariadb-server named=MARIADB_BIN ;;
esac

there() {
    case "$1" in
        postgresql) ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 ;;
        mariadb) PATH="$PATH:/usr/sbin" command -v mariadbd | xargs -r dirname ;;
    esac
}

if [ -n "${!named:-}" ]; then echo "${!named}"; exit; fi
if [ -z "$(there "$1" || true)" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "no server of $1 here: install it, or name its programs in $named" >&2
        exit 3
    fi
    { apt-get update &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package"; } >&2 || exit 3
fi
there "$1"
