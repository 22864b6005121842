#!/usr/bin/env bash
# Dumps every database named in DATABASES to BACKUP_DIR, JOBS of them at a time.
. "$(dirname "$0")/../lib/common.sh"

: "${DATABASES:?}" "${BACKUP_DIR:?}"
need pg_dump gzip find
stamp=$(date -u +%Y%m%d)

dump() {
  local database=$1
  local target="$BACKUP_DIR/$database-$stamp.sql.gz"
  pg_dump --format=plain "$database" | gzip > "$target.part"
  mv "$target.part" "$target"
  log "dumped $database ($(stat -c %s "$target") bytes)"
}

running=()
failed=0

# finish: wait for the oldest of the running dumps.
finish() {
  wait "${running[0]}" || failed=$((failed + 1))
  running=("${running[@]:1}")
}

for database in $DATABASES; do
  dump "$database" &
  running+=("$!")
  [ "${#running[@]}" -lt "${JOBS:-2}" ] || finish
done
while [ "${#running[@]}" -gt 0 ]; do
  finish
done

[ "$failed" -eq 0 ] || die "$failed databases were not dumped"
exec bash "$(dirname "$0")/prune.sh"
