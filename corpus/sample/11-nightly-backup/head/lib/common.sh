# Sourced by every script.
set -eu

log() {
  printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >&2
}

die() {
  log "$*"
  exit 1
}

# need COMMAND...: stop unless every command is installed.
need() {
  local name
  for name in "$@"; do
    command -v "$name" > /dev/null || die "missing command: $name"
  done
}

# dumps_of DATABASE: the finished dumps in BACKUP_DIR, oldest first.
dumps_of() {
  find "$BACKUP_DIR" -maxdepth 1 -type f -name "$1-????????.sql.gz" | sort
}
