#!/usr/bin/env bash
# Score the conversions of Cluster API's kinds on a folder of cases, the visible ones by default:
#     run.sh [CASES_DIR]
# Prints both tables, conversions and round trips. Exits 0 only if all round trips are exact, and
# all conversions match but those of kept.txt, where holdall keeps what upstream loses.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
data=${CLUSTERAPI_DATA:-$root/../shared/clusterapi}
holdall=${HOLDALL:-$root/.venv/bin/holdall}
python=${PYTHON:-$(dirname "$holdall")/python}

[ -d "$data/schemas" ] || { echo "skipped: no schemas in $data/schemas" >&2; exit 77; }
cases=$(realpath "${1:-$data/cases/visible}")
[ -d "$cases" ] || { echo "no folder of cases: ${1:-$cases}" >&2; exit 2; }
[ -x "$holdall" ] || { echo "no $holdall; run \`make\` first, e.g. \`make test\`" >&2; exit 2; }

project=$(mktemp -d) || exit 2
trap 'rm -rf "$project"' EXIT
ln -s "$(realpath "$data")/schemas" "$(realpath "$data")/version_map.json" "$project/"
cp -r "$here/holdall.yaml" "$here/hooks" "$project/" || exit 2
"$holdall" --project "$project" --quiet generate >"$project/log" 2>&1 || { cat "$project/log"; exit 2; }

score() {
    "$python" "$data/score.py" --cases "$cases" "$@" -- "$python" "$here/convert.py" "$project"
}
status=0
score --ignore-annotation 'holdall.dev/*' --cases-shown 1000 >"$project/scored"
grep -v '^ \|^FAIL' "$project/scored"
sed -n 's/^FAIL \([^ ]*\).*/\1/p' "$project/scored" | grep -vxFf "$here/kept.txt" && status=1
echo
score --roundtrip | tee "$project/trips"
awk '$1 == "all" && $2 == $3 { exact = 1 } END { exit !exact }' "$project/trips" || status=1
exit "$status"
