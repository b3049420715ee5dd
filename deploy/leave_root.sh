# shellcheck shell=bash disable=SC2154 # deploy/up has the variables
# At its start the server becomes another user (docs/operations.md). As root, these functions make what that user
# needs: a data folder of its own, and a program with files that it can read. Sourced.

# The user that the server becomes.
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

# Root's clone may be closed to other users, as in /root: then this folder has a copy of what the server reads. It
# is not in /run, where Debian forbids execution, and not in the data folder, whose owner could replace what root runs.
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
  "$program" --version >/dev/null || fail "$program cannot be executed: is $place on a file system mounted noexec?"
}

# Call it after the server has ended.
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
