# shellcheck shell=bash
# Sourced by deploy/up and tests/run, which would build into the same folder.

# lock_build FOLDER: only one of them works in a folder. Descriptor 9 holds the lock: close it in what outlives the caller.
lock_build() {
  mkdir -p -- "$1"
  exec 9>"$1/lock"
  flock --nonblock 9 || { echo "$0: another deploy/up or tests/run is at work in $1" >&2 && exit 1; }
}
