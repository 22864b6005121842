# in_use: where CURRENT points, or nothing.
in_use() {
  if [ -L "$CURRENT" ]; then
    readlink "$CURRENT"
  fi
}

# point_at FOLDER: replaces CURRENT in one step and tells the service.
point_at() {
  ln -sfn "$1" "$CURRENT.new"
  mv -T "$CURRENT.new" "$CURRENT"
  kill -HUP "$(cat "$PID_FILE")"
}

# answers: whether the service answers within TRIES tries.
answers() {
  local try
  for ((try = 0; try < ${TRIES:-30}; try++)); do
    if curl --silent --fail --max-time 2 "$HEALTH_URL" > /dev/null; then
      return 0
    fi
    sleep "${PAUSE:-1}"
  done
  return 1
}

# switch_to FOLDER: puts it in use, or what was in use before if the service does not answer.
switch_to() {
  local before
  before=$(in_use)
  point_at "$1"
  if answers; then
    return 0
  fi
  say "${1##*/} does not answer"
  if [ -n "$before" ]; then
    point_at "$before"
    say "back to ${before##*/}"
  fi
  return 1
}
