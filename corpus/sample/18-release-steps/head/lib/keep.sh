# by_age: the releases, newest first; unfinished ones start with a dot and do not count.
by_age() {
  find "$RELEASES" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -printf '%T@ %p\n' | sort -rn | cut -d' ' -f2-
}

# drop_old COUNT: removes all but the COUNT newest releases and the one in use.
drop_old() {
  local used path
  used=$(in_use)
  by_age | tail -n "+$(($1 + 1))" | while read -r path; do
    if [ "$path" != "$used" ]; then
      rm -rf -- "$path"
    fi
  done
}
