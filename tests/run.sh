#!/usr/bin/env bash
# The whole suite, as `make test` runs it. Ends with a list of what could not be run, if anything.
set -euo pipefail
cd "$(dirname "$0")/.."
BIN=$PWD/.venv/bin
export BIN
. tests/services.sh
trap stop_services EXIT
find_postgres
find_redis
find_chromium

failed=()
step() {
  local title=$1
  shift
  printf '\n=== %s\n' "$title"
  local start=$SECONDS
  "$@" || failed+=("$title")
  printf '=== %s: %d s\n' "$title" $((SECONDS - start))
}

step "checks" make --no-print-directory lint
step "suite on SQLite" "$BIN/pytest" -q -n auto -m "not browser and not services"
if [ -n "${TOUCHSTONE_TEST_POSTGRES:-}" ]; then
  step "suite on PostgreSQL" env TOUCHSTONE_TEST_DATABASE_URL="$TOUCHSTONE_TEST_POSTGRES" \
    "$BIN/pytest" -q -n auto -m "not browser and not services and not pure"
fi
# What needs a service that is not there is skipped one by one; the rest runs on SQLite.
step "real processes" "$BIN/pytest" -q -n 2 --dist loadgroup -m services
if [ -n "${TOUCHSTONE_CHROMIUM:-}" ]; then
  step "browser journeys" "$BIN/pytest" -q -n 2 -m browser
fi

printf '\n'
for line in "${missing_services[@]:-}"; do
  [ -n "$line" ] && printf '!!! NOT RUN: %s\n' "$line"
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "All steps passed."
