# shellcheck shell=bash
# Functions for the tests of packages: they extract, enter and remove bare roots. Sourced. A test begins with
# `begin "$@"`.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=deploy/roots.sh
source "$repo/deploy/roots.sh"

# This folder keeps archives of bare roots, and packages that apt downloaded. Each running test has a folder in it.
roots=${TUNEHUB_ROOTS:-/var/tmp/tunehub-roots}
packages=$repo/build/packages      # made by tests/packages/make
newer=$repo/build/packages-newer   # the same packages with a higher version
newer_version=99.0.0
patience=120 # seconds until a server has made its cluster and answers
# If more memory than this is available, roots are in a tmpfs. There dpkg's fsync of every file costs nothing, and the
# tmpfs of a killed test disappears with its mount namespace.
memory_wanted_kib=$((8 * 1024 * 1024))
memory_size=6g

step() { echo "== $*"; }

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

begin() {
  own_namespaces "$@"
  mkdir -p "$roots"
  remove_left_overs
  work=$(mktemp -d "$(realpath "$roots")/test.XXXXXX")
  exec {lock}<"$work"
  flock "$lock"
  if (($(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo) > memory_wanted_kib)); then
    mount -t tmpfs -o "mode=711,size=$memory_size" tmpfs "$work"
  fi
  trap end EXIT
  trap 'exit 1' INT TERM
}

started=() # pids
end() {
  local rc=$? pid root
  trap - EXIT
  set +e # continue with every step, even if one fails
  if declare -F power_off >/dev/null; then power_off "$rc"; fi
  for pid in "${started[@]}"; do stop "$pid"; done
  if [[ $rc -ne 0 ]]; then tail -n 30 "$work"/*.log >&2 2>/dev/null || true; fi
  for root in "$work"/*/proc; do
    if mountpoint -q "$root"; then umount --lazy "$root"; fi
  done
  if mountpoint -q "$work"; then umount --lazy "$work"; fi
  remove_root "$work"
  exit "$rc"
}

# Removes the folders of killed tests: nobody holds their locks.
remove_left_overs() {
  local folder
  for folder in "$roots"/test.*/; do
    if [[ -d $folder ]] && flock --nonblock "$folder" true; then remove_root "$folder"; fi
  done
}

# program_below PID: prints the pid of the tunehub program, which is PID or a descendant of its shell, chroot or
# buildah.
program_below() {
  local child
  if [[ $(cat "/proc/$1/comm" 2>/dev/null) == tunehub-* ]]; then
    echo "$1"
    return 0 # in a trap, a plain return has the status from before the trap
  fi
  for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do program_below "$child"; done
}

# stop PID: stops a process of this test. Like systemd, it sends SIGTERM to the program itself.
stop() {
  local program tenths
  program=$(program_below "$1")
  kill -TERM "${program:-$1}" 2>/dev/null || true
  for ((tenths = 0; tenths < 300; ++tenths)); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL "$1" 2>/dev/null; then fail "process $1 did not stop"; fi
  wait "$1" 2>/dev/null || true
}

# new_root NAME SUITE: extracts $work/NAME, with the host's resolv.conf and apt settings and its own /proc.
new_root() {
  local root=$work/$1 suite=$2
  "$repo/deploy/bare-root" "$suite" "$roots/$suite.tar"
  mkdir "$root"
  tar --extract --file "$roots/$suite.tar" --directory "$root" --numeric-owner
  [[ -c $root/dev/null && -c $root/dev/urandom ]] || fail "$roots/$suite.tar has no devices"
  mount -t proc proc "$root/proc"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  mkdir -p "$roots/archives/$suite"
  cp "$roots/archives/$suite"/*.deb "$root/var/cache/apt/archives/" 2>/dev/null || true
}

# in_root ROOT COMMAND...: runs the command in ROOT. It keeps only the proxies of the host's environment.
in_root() {
  local root=$1 name environment=()
  shift
  for name in http_proxy https_proxy no_proxy; do
    [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
  done
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "${environment[@]}" "$@"
}

# as_user ROOT USER COMMAND...
as_user() {
  local root=$1 user=$2
  shift 2
  in_root "$root" setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs "$@"
}

# apt ROOT SUITE ARGUMENTS...
apt() {
  local root=$1 suite=$2
  shift 2
  in_root "$root" apt-get -q -y --no-install-recommends "$@" >>"$work/apt.log" 2>&1 ||
    fail "apt-get $*, see above"
  cp -n "$root"/var/cache/apt/archives/*.deb "$roots/archives/$suite/" 2>/dev/null || true
}

# give ROOT FILE: copies the file into /tmp of the root. Prints the file's path there.
give() {
  cp -- "$2" "$1/tmp/"
  echo "/tmp/$(basename -- "$2")"
}

# free_port: prints a port on which no program listens now.
free_port() {
  local port
  for ((port = 20000 + RANDOM % 10000; ; ++port)); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# await URL [PID]: waits until URL answers 200.
await() {
  local end=$((SECONDS + patience))
  until curl -fsS --noproxy '*' -o /dev/null --max-time 5 "$1" 2>/dev/null; do
    [[ -z ${2:-} ]] || kill -0 "$2" 2>/dev/null || fail "the server ended before $1 answered"
    ((SECONDS < end)) || fail "$1 does not answer after $patience s"
    sleep 0.2
  done
}

get() { curl -fsS --noproxy '*' --max-time 20 "$@"; }

# same WHAT WANTED FOUND
same() {
  [[ $2 == "$3" ]] || fail "$1: wanted '$2', found '$3'"
}
