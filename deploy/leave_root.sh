# shellcheck shell=bash disable=SC2154 # deploy/up defines the variables
# If root starts the server, the server switches to another user (docs/operations.md). These functions make a data
# folder which that user owns, and copy the program and its files to where that user can read them. Sourced.

# Prints the user that the server switches to.
server_user() {
  local path owner
  if [[ -n ${TUNEHUB_USER:-} ]]; then
    echo "$TUNEHUB_USER"
    return
  fi
  for path in "$data/pg" "$data"; do
    owner="$(stat -c %U -- "$path" 2>/dev/null)" || continue
    [[ $owner == root ]] || { echo "$owner" && return; }
  done
  echo postgres
}

# Prints the folder for a copy of the server and its files. The server needs the copy if other users cannot read root's
# clone, for example in /root. The folder is not in /run, which Debian mounts noexec. It is not in the data folder
# either, because that folder's owner could replace a program that root runs.
program_place() { echo "/var/lib/tunehub-program-$(sha256sum <<<"$data" | cut -c 1-16)"; }

# Sets `program`: the server's program, or its copy if the server's user cannot read the clone.
place_program() {
  local place
  program=$bin/tunehub-server
  [[ $(id -u) -eq 0 ]] || return 0
  ! runuser -u "$(server_user)" -- test -r "$repo/configs/targets.json" || return 0
  place="$(program_place)"
  rm -rf --one-file-system -- "$place"
  mkdir -p -- "$place/bin" "$place/share/tunehub/web"
  cp -- "$program" "$place/bin/"
  cp -r -- "$repo/configs" "$place/share/tunehub/"
  [[ ! -d $repo/web/dist ]] || cp -r -- "$repo/web/dist" "$place/share/tunehub/web/"
  chmod -R go+rX -- "$place"
  program=$place/bin/tunehub-server
  "$program" --version >/dev/null || fail "cannot run $program: is $place on a file system mounted noexec?"
}

# Call this after the server has ended.
remove_program() {
  if [[ $(id -u) -eq 0 ]]; then rm -rf --one-file-system -- "$(program_place)"; fi
}

make_data_folder() {
  local user
  user="$(server_user)"
  if [[ $(id -u) -eq 0 && ! -e $data ]]; then
    mkdir -p -- "$(dirname -- "$data")"
    install -d -m 0750 -o "$user" -g "$(id -g -- "$user")" -- "$data" || fail "cannot make $data"
  fi
  mkdir -p -- "$data" || fail "cannot make $data"
}
