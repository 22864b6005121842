# unpack ARCHIVE TARGET: unpacks into TARGET, all of it or nothing.
# Runs in a subshell, so that its trap ends with it.
unpack() (
  archive=$1
  target=$2
  [ ! -e "$target" ] || die "${target##*/} is already there"
  part=$(mktemp -d "$RELEASES/.part-XXXXXX")
  trap 'rm -rf "$part"' EXIT
  tar -xzf "$archive" -C "$part" --no-same-owner
  (cd "$part" && sha256sum --quiet -c SHA256SUMS) || die "${target##*/}: digests differ"
  chmod 755 "$part"
  mv "$part" "$target"
)
