# shellcheck shell=bash
# Functions for data folders and addresses. deploy/up, deploy/down and deploy/ha source this file.

default_data_dir() {
  if [[ $(id -u) -eq 0 ]]; then
    echo /var/lib/tunehub
  else
    echo "${XDG_DATA_HOME:-$HOME/.local/share}/tunehub"
  fi
}

# Prints the pid of the server that runs on folder $1; fails if no server runs. It reads the lock file, because the
# kernel frees the lock when the server ends. A pid file would outlive a kill -9.
running_pid() {
  [[ -e $1/server.lock ]] || return 1
  ! flock --nonblock --shared "$1/server.lock" true 2>/dev/null || return 1
  awk '{ print $1 }' "$1/server.lock" # a second word means that the server is stopping
}

# Prints the pid of the agent that deploy/up started for folder $1; fails if the agent does not run. The pid file may
# outlive the agent, so the function also checks the process's command line.
agent_pid() {
  local pid
  pid="$(cat "$1/agent.pid" 2>/dev/null)" || return 1
  tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qxF -- "$1/agent/status.json" || return 1
  echo "$pid"
}

# Prints the URL of the server with pid $2. Fails if deploy/up did not start that server on folder $1.
started_url() {
  [[ "$(cat "$1/server.pid" 2>/dev/null)" == "$2" ]] && cat "$1/server.url"
}

# True if $1 is HOST:PORT.
is_address() { [[ $1 =~ ^.+:([0-9]{1,5})$ ]] && ((10#${BASH_REMATCH[1]} > 0 && 10#${BASH_REMATCH[1]} <= 65535)); }

# True if a program listens at the address $1. bash accepts no brackets around an IPv6 address.
taken() {
  local host=${1%:*}
  host=${host#[}
  (: <"/dev/tcp/${host%]}/${1##*:}") 2>/dev/null
}

# Prints the URL for requests to a listen address, which may be a wildcard.
url_of() {
  case $1 in
    0.0.0.0:*) echo "http://127.0.0.1:${1##*:}" ;;
    '[::]':*) echo "http://[::1]:${1##*:}" ;;
    *) echo "http://$1" ;;
  esac
}
