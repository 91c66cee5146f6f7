#!/usr/bin/env bash
# Score the conversions of Emissary's kinds on a folder of cases, the visible ones by default:
#     run.sh [CASES_DIR]
# Prints both tables, conversions and round trips. Exits 0 only if both pass.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
data=${EMISSARY_DATA:-$root/../shared/emissary}
cases=$(realpath "${1:-$data/cases/upstream}")
holdall=${HOLDALL:-$root/.venv/bin/holdall}
python=${PYTHON:-$(dirname "$holdall")/python}

[ -d "$data/schemas/internal" ] || { echo "no schemas in $data/schemas/internal" >&2; exit 2; }
[ -d "$cases" ] || { echo "no folder of cases: ${1:-$cases}" >&2; exit 2; }
[ -x "$holdall" ] || { echo "no $holdall; run \`make\` first, e.g. \`make test\`" >&2; exit 2; }
[ -x "$python" ] || python=python3

project=$(mktemp -d) || exit 2
trap 'rm -rf "$project"' EXIT
ln -s "$(realpath "$data")/schemas/internal" "$project/schemas"
cp -r "$here/holdall.yaml" "$here/hooks" "$project/" || exit 2
"$holdall" --project "$project" --quiet generate || exit 2

status=0
score() {
    "$python" "$data/score.py" --cases "$cases" "$@" \
        -- "$holdall" --project "$project" convert --requests || status=1
}
score --direct-v1-v2 --ignore-annotation 'holdall.dev/*'
echo
score --roundtrip --require-exact
exit "$status"
