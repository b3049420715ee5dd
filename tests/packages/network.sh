# shellcheck shell=bash
# Gives each host its own network and joins them by a bridge that nothing else can reach. Sourced after lib.sh.

network=10.77.0
declare -A network_of=() # by host: the pid of a process in its network
switch=                  # the pid of a process in the bridge's network

# in_network PID COMMAND...
in_network() { nsenter --target "$1" --net -- "${@:2}"; }

# empty_network: makes a network. Sets `holder` to the process that keeps it.
empty_network() {
  unshare --net sleep infinity &
  holder=$!
  started+=("$holder")
  until [[ $(readlink "/proc/$holder/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do
    kill -0 "$holder" 2>/dev/null || return 1
    sleep 0.05
  done
}

# join_hosts HOST...: the first host gets the address 10.77.0.1. Returns 1 if this machine allows no new network.
join_hosts() {
  local host number=0
  empty_network && switch=$holder || return 1
  in_network "$switch" ip link add joined type bridge || return 1
  in_network "$switch" ip link set joined up
  for host in "$@"; do
    number=$((number + 1))
    empty_network && network_of[$host]=$holder || return 1
    in_network "$switch" ip link add "to-$host" type veth peer name eth0 netns "$holder" || return 1
    in_network "$switch" ip link set "to-$host" master joined up
    in_network "$holder" ip address add "$network.$number/24" dev eth0
    in_network "$holder" ip link set lo up
    in_network "$holder" ip link set eth0 up
  done
}

# names_for HOST...: prints the lines of these hosts for /etc/hosts.
names_for() {
  local host number=0
  echo "127.0.0.1 localhost"
  for host in "$@"; do
    number=$((number + 1))
    echo "$network.$number $host"
  done
}
