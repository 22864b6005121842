# Sourced by tests/run.sh. Finds, starts or installs what the suite talks to, and exports where it is:
# TOUCHSTONE_TEST_POSTGRES, TOUCHSTONE_TEST_REDIS, TOUCHSTONE_CHROMIUM. What cannot be had stays unset and is said.

missing_services=()

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install_packages() {
  may_install || return 1
  echo "services: installing $*"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return 0
  apt-get update -qq >/dev/null 2>&1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

postgres_answers() { "$BIN/python" - "$1" <<'PY' 2>/dev/null
import sys
import psycopg
psycopg.connect(sys.argv[1], connect_timeout=3).close()
PY
}

redis_answers() { "$BIN/python" - "$1" <<'PY' 2>/dev/null
import sys
import redis
redis.Redis.from_url(sys.argv[1], socket_connect_timeout=3).ping()
PY
}

# A cluster of our own in a temporary folder: needs no password and leaves the machine's own clusters alone.
start_own_postgres() {
  local tools
  tools=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  [ -n "$tools" ] || { install_packages postgresql && tools=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1); }
  [ -n "$tools" ] || return 1
  own_postgres=$(mktemp -d)
  local as=()
  if [ "$(id -u)" = 0 ]; then chown postgres "$own_postgres"; as=(runuser -u postgres --); fi
  "${as[@]}" "$tools/initdb" -D "$own_postgres/data" -A trust -U postgres >/dev/null 2>&1 || return 1
  "${as[@]}" "$tools/pg_ctl" -D "$own_postgres/data" -w -l "$own_postgres/log" \
    -o "-p 54329 -k $own_postgres -c listen_addresses=127.0.0.1" start >/dev/null 2>&1 || return 1
  stop_own_postgres="${as[*]} $tools/pg_ctl -D $own_postgres/data -m fast stop"
}

find_postgres() {
  local address
  for address in "${TOUCHSTONE_TEST_POSTGRES:-}" postgresql://postgres@127.0.0.1:5432/postgres; do
    [ -n "$address" ] && postgres_answers "$address" && { export TOUCHSTONE_TEST_POSTGRES="$address"; return; }
  done
  address=postgresql://postgres@127.0.0.1:54329/postgres
  if start_own_postgres && postgres_answers "$address"; then
    export TOUCHSTONE_TEST_POSTGRES="$address"
  else
    unset TOUCHSTONE_TEST_POSTGRES
    missing_services+=("PostgreSQL: the suite was not run on it")
  fi
}

find_redis() {
  local address
  for address in "${TOUCHSTONE_TEST_REDIS:-}" redis://127.0.0.1:6379/9; do
    [ -n "$address" ] && redis_answers "$address" && { export TOUCHSTONE_TEST_REDIS="$address"; return; }
  done
  command -v redis-server >/dev/null || install_packages redis-server
  if command -v redis-server >/dev/null; then
    redis-server --daemonize yes --bind 127.0.0.1 --port 6399 --save "" --appendonly no >/dev/null
    own_redis=redis://127.0.0.1:6399/9
    for _ in 1 2 3 4 5; do
      redis_answers "$own_redis" && { export TOUCHSTONE_TEST_REDIS="$own_redis"; return; }
      sleep 1
    done
  fi
  unset TOUCHSTONE_TEST_REDIS
  missing_services+=("Redis: the tests with a real broker were not run")
}

find_chromium() {
  local candidate
  for candidate in "${TOUCHSTONE_CHROMIUM:-}" "$(command -v chromium || true)" "$(command -v chromium-browser || true)"; do
    [ -n "$candidate" ] && [ -x "$candidate" ] && { export TOUCHSTONE_CHROMIUM="$candidate"; return; }
  done
  install_packages chromium
  if command -v chromium >/dev/null; then
    TOUCHSTONE_CHROMIUM=$(command -v chromium)
    export TOUCHSTONE_CHROMIUM
  else
    unset TOUCHSTONE_CHROMIUM
    missing_services+=("Chromium: the browser journeys were not run")
  fi
}

stop_services() {
  [ -n "${stop_own_postgres:-}" ] && $stop_own_postgres >/dev/null 2>&1
  [ -n "${own_postgres:-}" ] && rm -rf "$own_postgres"
  [ -n "${own_redis:-}" ] && "$BIN/python" -c "import redis,sys; redis.Redis.from_url(sys.argv[1]).shutdown(nosave=True)" "$own_redis" 2>/dev/null
  return 0
}
