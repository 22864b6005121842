# Sourced first by every command.
set -euo pipefail

: "${RELEASES:?}" "${CURRENT:?}" "${PID_FILE:?}" "${HEALTH_URL:?}"

say() {
  echo "$*" >&2
}

die() {
  say "$*"
  exit 1
}
