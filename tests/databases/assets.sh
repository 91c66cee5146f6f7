#!/usr/bin/env bash
# Supplies PostgreSQL for the tests of databases, and prints the folder of its programs: that of
# POSTGRES_BIN, the newest that Debian installed, or Debian's package, installed as root.
#
# Exit codes: 0 there, 3 this machine cannot be supplied.
set -euo pipefail

newest() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }

if [ -n "${POSTGRES_BIN:-}" ]; then echo "$POSTGRES_BIN"; exit; fi
if [ -z "$(newest)" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "no PostgreSQL here: install it, or name its programs in POSTGRES_BIN" >&2
        exit 3
    fi
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y postgresql; } >&2 || exit 3
fi
newest
