# shellcheck shell=bash
# Sourced by deploy/up and tests/run, which would build into the same folder.

# lock_build FOLDER: lets one of them alone work in FOLDER. Processes that outlive the caller must close descriptor 9.
lock_build() {
  mkdir -p -- "$1"
  exec 9>"$1/lock"
  flock --nonblock 9 || { echo "$0: another deploy/up or tests/run is at work in $1" >&2 && exit 1; }
}
