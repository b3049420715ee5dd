# shellcheck shell=bash
# Bare roots: how they are entered, and removed without taking what is mounted in them along. Sourced, by
# scripts that run as root.

# Goes on in mount and process namespaces of its own: whatever way it ends, its mounts and processes end too,
# and none of its mounts is ever seen outside.
own_namespaces() {
  local here
  here=$(readlink /proc/self/ns/mnt)
  if [[ -n ${TUNEHUB_OUTSIDE:-} && $TUNEHUB_OUTSIDE != "$here" ]]; then return; fi
  [[ $(id -u) -eq 0 ]] || { echo "$0: bare roots need root" >&2 && exit 1; }
  TUNEHUB_OUTSIDE=$here exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private -- "$0" "$@"
}

# What this is a namespace for: a bind of /dev that outlived its script, and an rm -rf, have cost a machine its
# devices. So nothing of /dev is bound, and nothing is removed in which anything is mounted.
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

# The address of the first mirror whose release ends so ("" the main one, "-security").
mirror_of() {
  apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")$1" '$2 == suite { print $1; exit }'
}

# The releases of SUITE, from the mirrors that this host has.
apt_sources() {
  local main security
  main=$(mirror_of "")
  security=$(mirror_of -security)
  main=${main:-http://deb.debian.org/debian}
  printf 'deb %s %s main\n' "$main" "$1" "$main" "$1-updates" \
    "${security:-http://deb.debian.org/debian-security}" "$1-security"
}
