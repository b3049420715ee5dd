# shellcheck shell=bash disable=SC2154 # set.sh defines the variables
# Makes a set: its folders, passwords, programs and the files that its parts read. Sourced after set.sh.

# If root starts the set, the set's user owns only the folders that the parts write. Root owns the other folders.
make_folders() {
  mkdir -p -- "$dir"/{run,log,secrets,program,haproxy} || fail "cannot make $dir"
  local node own=("$dir/haproxy" "$dir/signing")
  for node in "${nodes[@]}"; do own+=("$dir/pg$node" "$dir/etcd$node"); done
  mkdir -p -- "${own[@]}"
  chmod 0700 -- "${own[@]}"
  if [[ $(id -u) -eq 0 ]]; then chown "$owner:" -- "${own[@]}"; fi
  printf 'listen=%q\nbase=%q\n' "$listen" "$base" >"$dir/addresses"
}

# password_of NAME: prints the password. The first call makes it and stores it in secrets/.
password_of() {
  local file="$dir/secrets/$1"
  if [[ ! -s $file ]]; then
    (umask 077 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$file")
  fi
  cat "$file"
}

# write FILE: replaces FILE atomically by standard input. Only the set's owner can read FILE.
write() {
  (umask 077 && cat >"$1.new")
  if [[ $(id -u) -eq 0 ]]; then chown "$owner:" "$1.new"; fi
  mv -- "$1.new" "$1"
}

# fill NODE: prints deploy/ha/patroni.yml with the node's values. bash itself replaces the names, because the values
# include passwords and every user can read a program's arguments.
fill() {
  local text name
  local -A values=([NODE]=$1 [DIR]=$dir [POSTGRES_BIN]=$postgres_bin [PATRONI_PORT]=$(patroni_port "$1")
    [POSTGRES_PORT]=$(postgres_port "$1") [ETCD_HOSTS]=$(joined etcd_port) [PATRONI_PASSWORD]=$(password_of patroni)
    [POSTGRES_PASSWORD]=$(password_of postgres) [REPLICATION_PASSWORD]=$(password_of replicator)
    [REWIND_PASSWORD]=$(password_of rewinder))
  text=$(<"$repo/deploy/ha/patroni.yml")
  for name in "${!values[@]}"; do text=${text//"@$name@"/"${values[$name]}"}; done
  printf '%s\n' "$text"
}

# server.env contains tunehub's settings as environment variables. Both servers read it. Then server N reads serverN.env
# if that file exists. An existing server.env stays as it is.
write_files() {
  local node host=${listen%:*}
  [[ $host == [A-Za-z]* ]] || host='' # servers answer to any address
  for node in "${nodes[@]}"; do fill "$node" | write "$dir/pg$node/patroni.yml"; done
  printf '*:*:*:postgres:%s\n*:*:*:hub:%s\n' "$(password_of postgres)" "$(password_of hub)" | write "$dir/secrets/pgpass"
  write "$dir/haproxy.cfg" <"$repo/deploy/ha/haproxy.cfg"
  # Both servers sign with this key.
  [[ -e $dir/signing/signing_key ]] || head -c 32 /dev/urandom | base64 | write "$dir/signing/signing_key"
  [[ -e $dir/server.env ]] || (umask 077 && cat >"$dir/server.env") <<END
TUNEHUB_DATABASE='postgresql://hub@$(joined postgres_port)/tunehub?target_session_attrs=read-write&connect_timeout=2'
TUNEHUB_LAME_DUCK_MS=3000
TUNEHUB_TRUSTED_PROXIES=127.0.0.1
TUNEHUB_HOST='$host'
END
  grep -q '^TUNEHUB_TRUSTED_PROXIES=' "$dir/server.env" ||
    echo "deploy/ha: $dir/server.env does not set TUNEHUB_TRUSTED_PROXIES=127.0.0.1, so the servers count all clients as one" >&2
}

# Sets `bin`, the folder of the set's programs: $TUNEHUB_BIN, or the release that this function builds.
find_programs() {
  bin="${TUNEHUB_BIN:-}"
  [[ -z $bin ]] || return 0
  "$repo/deploy/build" release tunehub-server
  bin="$repo/build/release/bin"
}

# copy_programs FOLDER: copies the server, its configs and the dashboard into the set's folder. The set's owner may be
# unable to read root's clone, and a build must not change the running program.
copy_programs() {
  local share="$dir/program/share/tunehub"
  [[ -x $1/tunehub-server ]] || fail "found no $1/tunehub-server"
  mkdir -p -- "$dir/program/bin" "$share"
  install -m 0755 -- "$1/tunehub-server" "$dir/program/bin/tunehub-server.new"
  mv -- "$dir/program/bin/tunehub-server.new" "$dir/program/bin/tunehub-server" # the old one may be running
  rm -rf -- "$share/configs" "$share/web"
  cp -r -- "${TUNEHUB_CONFIGS:-$repo/configs}" "$share/configs"
  if [[ -d $repo/web/dist ]]; then
    mkdir -p -- "$share/web"
    cp -r -- "$repo/web/dist" "$share/web/dist"
  fi
  chmod -R a+rX -- "$dir/program"
}
