#!/usr/bin/env bash
# Dumps every database named in DATABASES to BACKUP_DIR.
. "$(dirname "$0")/../lib/common.sh"

: "${DATABASES:?}" "${BACKUP_DIR:?}"
keep=7
stamp=$(date -u +%Y%m%d)

for database in $DATABASES; do
  target="$BACKUP_DIR/$database-$stamp.sql"
  pg_dump --format=plain "$database" > "$target.part"
  mv "$target.part" "$target"
  gzip --force "$target"
  log "dumped $database"
  ls -1 "$BACKUP_DIR/$database-"*.sql.gz | sort | head -n "-$keep" | xargs -r rm --
done
