# shellcheck shell=bash
# Functions for data folders and addresses, for deploy/up, deploy/down and deploy/ha. Sourced.

default_data_dir() {
  if [[ $(id -u) -eq 0 ]]; then
    echo /var/lib/tunehub
  else
    echo "${XDG_DATA_HOME:-$HOME/.local/share}/tunehub"
  fi
}

# The pid of the server that runs on folder $1; fails if none does. It reads the lock, because the kernel frees
# the lock when the server ends; a pid file would outlive a kill -9.
running_pid() {
  [[ -e $1/server.lock ]] || return 1
  ! flock --nonblock --shared "$1/server.lock" true 2>/dev/null || return 1
  awk '{ print $1 }' "$1/server.lock" # the second word says that the server stops
}

# The pid of the agent that deploy/up started for folder $1; fails if it does not run. A pid file outlives its
# process, so the command line decides.
agent_pid() {
  local pid
  pid="$(cat "$1/agent.pid" 2>/dev/null)" || return 1
  tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qxF -- "$1/agent/status.json" || return 1
  echo "$pid"
}

# The address of the server with pid $2, if deploy/up started it on folder $1.
started_url() {
  [[ "$(cat "$1/server.pid" 2>/dev/null)" == "$2" ]] && cat "$1/server.url"
}

# Whether $1 is HOST:PORT.
is_address() { [[ $1 =~ ^.+:([0-9]{1,5})$ ]] && ((10#${BASH_REMATCH[1]} > 0 && 10#${BASH_REMATCH[1]} <= 65535)); }

# Whether a program listens at the address $1. bash takes no brackets around IPv6.
taken() {
  local host=${1%:*}
  host=${host#[}
  (: <"/dev/tcp/${host%]}/${1##*:}") 2>/dev/null
}

# The address to call for a listen address, which may be a wildcard.
url_of() {
  case $1 in
    0.0.0.0:*) echo "http://127.0.0.1:${1##*:}" ;;
    '[::]':*) echo "http://[::1]:${1##*:}" ;;
    *) echo "http://$1" ;;
  esac
}
