# shellcheck shell=bash disable=SC2154,SC2034 # set.sh defines the variables; programs read the exported ones
# Starts each part of a set. Sourced after set.sh.

start_etcd() {
  local node cluster=
  for node in "${nodes[@]}"; do cluster+="${cluster:+,}etcd$node=http://127.0.0.1:$(etcd_peer_port "$node")"; done
  for node in "${nodes[@]}"; do
    # On one host all parts share a disk and processors. With etcd's default times, a disk write that takes one second
    # would cause an election.
    start "etcd$node" etcd --name "etcd$node" --data-dir "$dir/etcd$node/data" --logger zap --log-level warn \
      --listen-client-urls "http://127.0.0.1:$(etcd_port "$node")" \
      --advertise-client-urls "http://127.0.0.1:$(etcd_port "$node")" \
      --listen-peer-urls "http://127.0.0.1:$(etcd_peer_port "$node")" \
      --initial-advertise-peer-urls "http://127.0.0.1:$(etcd_peer_port "$node")" \
      --initial-cluster "$cluster" --initial-cluster-state new --heartbeat-interval 300 --election-timeout 3000
  done
  await "etcd" etcd1 answers "http://127.0.0.1:$(etcd_port 1)/health"
}

start_node() { start "pg$1" patroni "$dir/pg$1/patroni.yml"; }

# True if the leader has a synchronous standby: commits wait for it.
is_synchronous() { patronictl list 2>/dev/null | grep -q 'Sync Standby.*\(running\|streaming\)'; }

start_postgres() {
  local node
  for node in "${nodes[@]}"; do start_node "$node"; done
  await "a primary" pg1 primary
  await "a synchronous standby" pg1 is_synchronous
}

# Makes the hub's role and database, if they do not exist.
make_database() {
  sql <<END
SELECT format('CREATE ROLE hub LOGIN PASSWORD %L', '$(cat "$dir/secrets/hub")')
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'hub') \gexec
SELECT 'CREATE DATABASE tunehub OWNER hub'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tunehub') \gexec
END
}

# If an address names several hosts, a connection fails at the first host that lacks the database.
database_is_everywhere() {
  local node
  for node in "${nodes[@]}"; do
    PGPASSFILE="$dir/secrets/pgpass" psql -X -q -c 'SELECT 1' \
      "postgresql://hub@127.0.0.1:$(postgres_port "$node")/tunehub?connect_timeout=2" || return 1
  done
}

# with_settings [N] COMMAND...: runs COMMAND with the settings in server.env and, if N is given, in serverN.env. Drops
# the caller's own TUNEHUB_ variables.
with_settings() (
  unset "${!TUNEHUB_@}"
  number=
  if [[ $1 =~ ^[0-9]+$ ]]; then
    number=$1
    shift
  fi
  set -a
  PGPASSFILE="$dir/secrets/pgpass"
  HOME="$dir"
  TUNEHUB_SIGNING_KEY="$dir/signing/signing_key"
  # shellcheck source=/dev/null
  source "$dir/server.env"
  # shellcheck source=/dev/null
  if [[ -n $number && -e $dir/server$number.env ]]; then source "$dir/server$number.env"; fi
  set +a
  "$@"
)

migrate() { with_settings "${as_owner[@]}" "$dir/program/bin/tunehub-server" migrate >>"$dir/log/migrate.log" 2>&1; }

start_server() {
  with_settings "$1" start "server$1" "$dir/program/bin/tunehub-server" serve --listen "127.0.0.1:$(server_port "$1")"
}

await_server() { await "server$1" "server$1" answers "http://127.0.0.1:$(server_port "$1")/readyz"; }

start_haproxy() {
  export HA_DIR="$dir" HA_LISTEN="$listen" HA_SERVER1 HA_SERVER2
  HA_SERVER1="$(server_port 1)"
  HA_SERVER2="$(server_port 2)"
  start haproxy /usr/sbin/haproxy -W -db -f "$dir/haproxy.cfg"
  await "the proxy" haproxy answers "$hub/readyz?for=write"
}

# Prints each server's state as the proxy sees it: "read/server1 UP".
proxy_states() {
  python3 - "$dir/haproxy/admin.sock" <<'END'
import csv, socket, sys
with socket.socket(socket.AF_UNIX) as proxy:
    proxy.connect(sys.argv[1])
    proxy.sendall(b"show stat\n")
    text = b"".join(iter(lambda: proxy.recv(65536), b"")).decode().lstrip("# ")
for row in csv.DictReader(text.splitlines()):
    if row["svname"].startswith("server"):
        print(f"{row['pxname']}/{row['svname']} {row['status']}")
END
}

# proxy_sees_up N: true if the proxy sends reads and writes to server N.
proxy_sees_up() { [[ $(proxy_states | grep -c "/server$1 UP") -eq 2 ]]; }
