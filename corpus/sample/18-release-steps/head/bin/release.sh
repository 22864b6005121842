#!/usr/bin/env bash
# release.sh ARCHIVE: puts the release in use; see docs/steps.md.
here=$(dirname "$0")
. "$here/../lib/base.sh"
. "$here/../lib/archive.sh"
. "$here/../lib/switch.sh"
. "$here/../lib/keep.sh"

archive=${1:?archive}
name=$(basename "$archive" .tar.gz)

unpack "$archive" "$RELEASES/$name"
switch_to "$RELEASES/$name"
drop_old 5
echo "$name is in use"
