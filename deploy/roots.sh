# shellcheck shell=bash
# Bare roots: how to enter them, and how to remove them without the file systems mounted in them. Sourced, by scripts
# that run as root.

# Restarts the script in its own mount and process namespaces: however it ends, its mounts and processes end too, and
# nothing outside ever sees its mounts.
own_namespaces() {
  local here
  here=$(readlink /proc/self/ns/mnt)
  if [[ -n ${TUNEHUB_OUTSIDE:-} && $TUNEHUB_OUTSIDE != "$here" ]]; then return; fi
  [[ $(id -u) -eq 0 ]] || { echo "$0: bare roots need root" >&2 && exit 1; }
  TUNEHUB_OUTSIDE=$here exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private -- "$0" "$@"
}

# rm -rf of a root with a bind of /dev would remove the machine's devices. So nothing of /dev is bound, and a root
# with mounts is never removed.
remove_root() {
  local root mounted
  root=$(realpath -m -- "$1")
  [[ -d $root ]] || return 0
  [[ $root == /*/*/* ]] || { echo "remove_root: $root is no root of ours" >&2 && return 1; }
  if mountpoint -q -- "$root/proc"; then umount -- "$root/proc"; fi
  mounted=$(findmnt --raw --noheadings --output TARGET |
    awk -v root="$root" '$0 == root || index($0, root "/") == 1' | xargs)
  [[ -z $mounted ]] || { echo "remove_root: $root is not removed, there is mounted: $mounted" >&2 && return 1; }
  rm -rf --one-file-system -- "$root"
}

# This host's first mirror for its release with suffix $1: "" is the main archive, "-security" the other.
mirror_of() {
  apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")$1" '$2 == suite { print $1; exit }'
}

# The apt sources of SUITE, from this host's mirrors.
apt_sources() {
  local main security
  main=$(mirror_of "")
  security=$(mirror_of -security)
  main=${main:-http://deb.debian.org/debian}
  printf 'deb %s %s main\n' "$main" "$1" "$main" "$1-updates" \
    "${security:-http://deb.debian.org/debian-security}" "$1-security"
}
