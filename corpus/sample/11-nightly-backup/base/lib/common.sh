# Sourced by every script.
set -euo pipefail

log() {
  printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >&2
}

die() {
  log "$*"
  exit 1
}
