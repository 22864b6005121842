#!/usr/bin/env bash
# rollback.sh NAME: puts an earlier release in use that is still on the host.
here=$(dirname "$0")
. "$here/../lib/base.sh"
. "$here/../lib/switch.sh"

name=${1:?name of a release}
case $name in
  */* | .*) die "$name is no name of a release" ;;
esac
target="$RELEASES/$name"
[ -d "$target" ] || die "$name is not on this host"
[ "$(in_use)" != "$target" ] || die "$name is in use already"
switch_to "$target"
echo "$name is in use"
