# shellcheck shell=bash disable=SC2034 # the sourcing scripts use the variables
# The measurements source this file. It starts a server for one measurement, computes medians and prints lines.

repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
bin="${TUNEHUB_BIN:-$repo/build/release/bin}"
data="${TUNEHUB_DATA:-$repo/../shared/data}"
aiter="$data/aiter/configs"
repetitions=5
# A bench writes as much with one key as many agents in weeks, so quotas are off.
export TUNEHUB_QUOTA_ROWS=0 TUNEHUB_QUOTA_DEMAND=0 TUNEHUB_QUOTA_MIB=0 TUNEHUB_QUOTA_KEYS=0

say() { printf '%s\n' "$*"; }
fail() {
  echo "tests/bench: $*" >&2
  exit 1
}

# median VALUE...: needs an odd number of values.
median() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# If root runs this script, PostgreSQL runs as another user, who must be able to enter the folder.
work="$(mktemp -d)"
chmod 755 "$work"
server=
at_exit=()
clean_up() {
  local command
  for command in "${at_exit[@]}"; do "$command"; done
  if [[ -n $server ]]; then
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" || true
  fi
  rm -rf -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Starts a server on a free port with a new, empty registry. Sets hub, server and key.
start_server() { start_server_with --data "$work/data"; }

start_server_with() {
  "$bin/tunehub-server" serve "$@" --listen 127.0.0.1:0 >"$work/server.log" 2>&1 &
  server=$!
  hub=
  until [[ -n $hub ]]; do
    kill -0 "$server" 2>/dev/null || fail "the server ended: $(tail -n 3 "$work/server.log")"
    sleep 0.1
    hub="$(sed -n 's|.*listens on \(https*://[^/]*\)/.*|\1|p' "$work/server.log")"
  done
  key="$("$bin/tunehub-server" key create --scope submit "$@")"
}

# curl -K <(auth): makes curl send the key.
auth() { printf 'header = "Authorization: Bearer %s"\n' "$key"; }

# sql: runs psql on the server's PostgreSQL. value: prints the result of one statement on its registry.
sql() { psql -X -q -v ON_ERROR_STOP=1 -h "$(cat "$work/data/pg.socket")" -p 5432 -U tunehub "$@"; }
value() { sql -At -d tunehub -c "$1"; }
# rows FIRST COUNT [OPTION...]: prints generated rows as CSV. rows.py describes the options.
rows() { python3 "$repo/tests/bench/rows.py" "$@"; }

measurements() { value 'SELECT count(*) FROM measurement'; }

resident_mib() { awk '/^VmRSS:/ { printf "%.0f", $2 / 1024 }' "/proc/$server/status"; }
