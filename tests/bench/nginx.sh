# shellcheck shell=bash disable=SC2154 # lib.sh, which is sourced before it, has the variables
# Measurements of served bytes source this file. nginx serves the same bytes from files. tunehub and nginx each have one
# thread on one processor; wrk runs on another processor.

seconds="${TUNEHUB_BENCH_SECONDS:-2}"

nginx_pid=
stop_nginx() { [[ -z $nginx_pid ]] || kill "$nginx_pid" || true; }
at_exit+=(stop_nginx)

# nginx has its fast settings: sendfile, cached open files, keep-alive, no logs. nginx_tls may add TLS directives.
start_nginx() {
  local secure="${nginx_tls:+ ssl}"
  nginx_port="$(free_port)"
  mkdir -p "$work/web"
  cat >"$work/nginx.conf" <<CONF
daemon off;
master_process off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 600;
  open_file_cache max=16 inactive=600s;
  types { text/csv csv; application/json json; application/gzip gz; }
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;
  uwsgi_temp_path $work; scgi_temp_path $work;
  server {
    listen 127.0.0.1:$nginx_port$secure reuseport;
    ${nginx_tls:-}
    root $work/web;
    gzip_static on;
  }
}
CONF
  nginx -c "$work/nginx.conf" -p "$work" &
  nginx_pid=$!
  until curl -sS -o /dev/null "http${nginx_tls:+s}://127.0.0.1:$nginx_port/" 2>/dev/null; do
    kill -0 "$nginx_pid" 2>/dev/null || fail "nginx ended: $(cat "$work/nginx.log")"
    sleep 0.1
  done
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

etag_of() { curl -fsS -o /dev/null -D - "$@" | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'; }

# load URL CONNECTIONS HEADER: prints requests per second.
load() {
  local out
  out="$("${on_other[@]}" wrk -t1 -c"$2" -d"${seconds}s" -H "$3" "$1")"
  if grep -Eq 'Non-2xx|Socket errors' <<<"$out"; then fail "$1: $out"; fi
  awk '/^Requests\/sec:/ { print $2 }' <<<"$out"
}

# measure NAME OURS THEIRS OUR_HEADER THEIR_HEADER GOAL: measures in turns, so that other load affects both sides.
measure() {
  local name=$1 ours_at=$2 theirs_at=$3 hub_header=$4 nginx_header=$5 goal=$6 connections i
  for connections in 16 64; do
    local ours=() theirs=()
    for ((i = 0; i < repetitions; ++i)); do
      ours+=("$(load "$ours_at" "$connections" "$hub_header")")
      theirs+=("$(load "$theirs_at" "$connections" "$nginx_header")")
    done
    printf '%-10s %4d %12.0f %12.0f %8s %6s\n' "$name" "$connections" "$(median "${ours[@]}")" \
      "$(median "${theirs[@]}")" "$(ratio "$(median "${ours[@]}")" "$(median "${theirs[@]}")")" "$goal"
  done
}

# Pins both sides to the first processor, and wrk to the second if there is one.
on_other=()
pin_sides() {
  [[ $(nproc) -gt 1 ]] || return 0
  taskset -acp 0 "$server" >/dev/null
  taskset -acp 0 "$nginx_pid" >/dev/null
  on_other=(taskset -c 1)
}
