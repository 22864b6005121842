#!/usr/bin/env bash
# release.sh ARCHIVE: puts the release in use; see docs/steps.md.
set -euo pipefail

: "${RELEASES:?}" "${CURRENT:?}" "${PID_FILE:?}" "${HEALTH_URL:?}"
archive=${1:?archive}
name=$(basename "$archive" .tar.gz)
target="$RELEASES/$name"

if [ -e "$target" ]; then
  echo "$name is already there" >&2
  exit 1
fi
part=$(mktemp -d "$RELEASES/.part-XXXXXX")
trap 'rm -rf "$part"' EXIT
tar -xzf "$archive" -C "$part" --no-same-owner
if ! (cd "$part" && sha256sum --quiet -c SHA256SUMS); then
  echo "$name: digests differ" >&2
  exit 1
fi
chmod 755 "$part"
mv "$part" "$target"

before=""
if [ -L "$CURRENT" ]; then
  before=$(readlink "$CURRENT")
fi
ln -sfn "$target" "$CURRENT.new"
mv -T "$CURRENT.new" "$CURRENT"
kill -HUP "$(cat "$PID_FILE")"

healthy=no
for _ in $(seq 1 "${TRIES:-30}"); do
  if curl --silent --fail --max-time 2 "$HEALTH_URL" > /dev/null; then
    healthy=yes
    break
  fi
  sleep "${PAUSE:-1}"
done
if [ "$healthy" = no ]; then
  echo "$name does not answer" >&2
  if [ -n "$before" ]; then
    ln -sfn "$before" "$CURRENT.new"
    mv -T "$CURRENT.new" "$CURRENT"
    kill -HUP "$(cat "$PID_FILE")"
    echo "back to $(basename "$before")" >&2
  fi
  exit 1
fi

in_use=$(readlink "$CURRENT")
find "$RELEASES" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -printf '%T@ %p\n' | sort -rn | tail -n +6 |
  cut -d' ' -f2- | while read -r path; do
    if [ "$path" != "$in_use" ]; then
      rm -rf -- "$path"
    fi
  done
echo "$name is in use"
