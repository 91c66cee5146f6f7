#!/usr/bin/env bash
# Supplies the Java that Spark runs on: what JAVA_HOME names, what is on PATH, or Debian's package,
# installed as root.
#
# Exit codes: 0 there, 3 this machine cannot be supplied.
set -euo pipefail

if [ -n "${JAVA_HOME:-}" ] || command -v java >/dev/null; then exit; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "no Java here, so Spark is not tested: install a JRE, or name one in JAVA_HOME" >&2
    exit 3
fi
{
    apt-get update && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends default-jre-headless
} >&2 || exit 3
