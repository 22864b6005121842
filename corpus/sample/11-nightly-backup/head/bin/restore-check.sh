#!/usr/bin/env bash
# Reads the newest dump of each database to its end and says how old it is.
. "$(dirname "$0")/../lib/common.sh"

: "${DATABASES:?}" "${BACKUP_DIR:?}"
need gzip tail
oldest_day=$(date -u -d '2 days ago' +%Y%m%d)
status=0

for database in $DATABASES; do
  newest=$(dumps_of "$database" | tail -n 1)
  if [ -z "$newest" ]; then
    log "$database: no dump"
    status=1
    continue
  fi
  day=${newest##*-}
  day=${day%.sql.gz}
  if [ "$day" -lt "$oldest_day" ]; then
    log "$database: newest dump is of $day"
    status=1
  fi
  if gzip --test "$newest"; then
    log "$database: ${newest##*/} can be unpacked"
  else
    status=1
  fi
done
exit "$status"
