#!/usr/bin/env bash
# Removes dumps that docs/backup.md does not keep. With --dry-run it only names them.
. "$(dirname "$0")/../lib/common.sh"

: "${DATABASES:?}" "${BACKUP_DIR:?}"
keep=7
dry_run=${1:-}
year_ago=$(date -u -d '1 year ago' +%Y%m%d)

drop() {
  if [ "$dry_run" = --dry-run ]; then
    printf '%s\n' "$1"
  else
    rm -- "$1"
    log "removed ${1##*/}"
  fi
}

for database in $DATABASES; do
  dumps_of "$database" | sort -r | tail -n "+$((keep + 1))" | while read -r path; do
    name=${path##*/}
    day=${name#"$database-"}
    day=${day%.sql.gz}
    case $day in
      ??????01) [ "$day" -ge "$year_ago" ] || drop "$path" ;;
      *) drop "$path" ;;
    esac
  done
done
