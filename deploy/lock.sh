# shellcheck shell=bash
# deploy/up and tests/run source this file, because both build into the same folder.

# lock_build FOLDER: locks FOLDER until the caller ends; fails if another process has locked it. Processes that outlive
# the caller must close descriptor 9.
lock_build() {
  mkdir -p -- "$1"
  exec 9>"$1/lock"
  flock --nonblock 9 || { echo "$0: another deploy/up or tests/run is running in $1" >&2 && exit 1; }
}
