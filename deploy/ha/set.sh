# shellcheck shell=bash
# A set's folder, ports, user and processes. All scripts of deploy/ha source this file.
# shellcheck disable=SC2034 # the sourcing scripts use the variables

repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# shellcheck source=deploy/data_dir.sh
source "$repo/deploy/data_dir.sh"
dir="$(default_data_dir)-ha"
postgres_bin=/usr/lib/postgresql/15/bin
nodes=(1 2 3)   # each has PostgreSQL, Patroni and etcd; two of three continue without the third
servers=(1 2)   # tunehub servers
listen=127.0.0.1:8080
base=8100
patience=120 # seconds for a part to start: it may have to make or recover a database cluster

fail() {
  echo "deploy/ha/${0##*/}: $*" >&2
  exit 1
}

# use_set: call it after reading the arguments. An existing set keeps its addresses.
use_set() {
  dir="$(realpath -m -- "$dir")"
  [[ $dir != *[[:space:]]* ]] || fail "--data '$dir': the name must not contain blanks"
  # shellcheck source=/dev/null
  if [[ -f $dir/addresses ]]; then source "$dir/addresses"; fi
  hub="$(url_of "$listen")"
}

server_port() { echo $((base + $1)); }
postgres_port() { echo $((base + 10 + $1)); }
patroni_port() { echo $((base + 20 + $1)); }
etcd_port() { echo $((base + 30 + $1)); }
etcd_peer_port() { echo $((base + 40 + $1)); }

# joined FUNCTION: prints the addresses of all nodes, separated by commas. FUNCTION prints a node's port.
joined() {
  local node text=
  for node in "${nodes[@]}"; do text+="${text:+,}127.0.0.1:$("$1" "$node")"; done
  echo "$text"
}

# No part of a set runs as root: PostgreSQL refuses to, and no other part needs to.
if [[ $(id -u) -eq 0 ]]; then
  owner=postgres
  as_owner=(setpriv --reuid postgres --regid postgres --init-groups --no-new-privs)
else
  owner="$(id -un)"
  as_owner=(env)
fi

# started_at PID: prints when the process started, in clock ticks since boot. Pid and start time together identify a
# process; a pid alone may be reused. A zombie (Z) does not count as running.
started_at() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# pid_of NAME: prints the pid of the part NAME; fails if the part does not run.
pid_of() {
  local pid at
  read -r pid at 2>/dev/null <"$dir/run/$1.pid" || return 1
  [[ -n $at && "$(started_at "$pid")" == "$at" ]] || return 1
  echo "$pid"
}

# start NAME COMMAND...: runs COMMAND in the background, as the set's owner; the output goes to log/NAME.log.
start() {
  local name=$1
  shift
  ! pid_of "$name" >/dev/null || return 0
  (cd "$dir" && exec setsid -- "${as_owner[@]}" "$@") </dev/null >>"$dir/log/$name.log" 2>&1 &
  echo "$! $(started_at $!)" >"$dir/run/$name.pid"
}

# stop NAME SECONDS: sends SIGTERM to the part NAME, then waits at most SECONDS until it has ended.
stop() {
  local name=$1 pid tenths
  pid="$(pid_of "$name")" || return 0
  kill -TERM "$pid" || fail "cannot stop $name, pid $pid; does it belong to another user?"
  for ((tenths = 0; tenths < 10 * $2; ++tenths)); do
    if ! pid_of "$name" >/dev/null; then return 0; fi
    sleep 0.1
  done
  fail "$name, pid $pid, still runs after $2 s; its log is $dir/log/$name.log"
}

# await WHAT NAME COMMAND...: waits until COMMAND succeeds; fails if the part NAME ends, or after $patience.
await() {
  local what=$1 name=$2 end=$((SECONDS + patience))
  shift 2
  until "$@" >/dev/null 2>&1; do
    pid_of "$name" >/dev/null ||
      fail "$name ended: $(tail -n 3 "$dir/log/$name.log"); the full log is $dir/log/$name.log"
    ((SECONDS < end)) || fail "$what did not appear within $patience s; the log is $dir/log/$name.log"
    sleep 0.2
  done
}

answers() { curl -fsS --noproxy '*' -o /dev/null --max-time 5 "$1"; }

# sql: runs psql on the primary as the superuser.
sql() {
  PGPASSFILE="$dir/secrets/pgpass" psql -X -q -v ON_ERROR_STOP=1 \
    "postgresql://postgres@$(joined postgres_port)/postgres?target_session_attrs=read-write&connect_timeout=2" "$@"
}

patronictl() { command patronictl -c "$dir/pg1/patroni.yml" "$@"; }

# primary: prints the number of the node that is the leader and accepts writes; fails if there is none.
primary() {
  local node
  for node in "${nodes[@]}"; do
    if answers "http://127.0.0.1:$(patroni_port "$node")/primary" 2>/dev/null; then
      echo "$node"
      return 0
    fi
  done
  return 1
}
