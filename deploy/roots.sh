# shellcheck shell=bash
# Functions to enter bare roots, and to remove them without the file systems mounted in them. Scripts that run as root
# source this file.

# Restarts the script in its own mount and process namespaces. When the script ends, even by a signal, its mounts and
# processes end, too. No process outside sees its mounts.
own_namespaces() {
  local here
  here=$(readlink /proc/self/ns/mnt)
  if [[ -n ${TUNEHUB_OUTSIDE:-} && $TUNEHUB_OUTSIDE != "$here" ]]; then return; fi
  [[ $(id -u) -eq 0 ]] || { echo "$0: run this as root" >&2 && exit 1; }
  TUNEHUB_OUTSIDE=$here exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private -- "$0" "$@"
}

# Removes a root without mounts. rm -rf of a root into which the host's /dev is mounted would remove the host's devices.
remove_root() {
  local root mounted
  root=$(realpath -m -- "$1")
  [[ -d $root ]] || return 0
  [[ $root == /*/*/* ]] || { echo "remove_root: $root is not a bare root" >&2 && return 1; }
  if mountpoint -q -- "$root/proc"; then umount -- "$root/proc"; fi
  mounted=$(findmnt --raw --noheadings --output TARGET |
    awk -v root="$root" '$0 == root || index($0, root "/") == 1' | xargs)
  [[ -z $mounted ]] || { echo "remove_root: cannot remove $root, because it still has mounts: $mounted" >&2 && return 1; }
  rm -rf --one-file-system -- "$root"
}

# Prints this host's first mirror of its own release. $1 is "" for the main archive or "-security".
mirror_of() {
  apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")$1" '$2 == suite { print $1; exit }'
}

# Prints the apt sources of release $1, with this host's mirrors.
apt_sources() {
  local main security
  main=$(mirror_of "")
  security=$(mirror_of -security)
  main=${main:-http://deb.debian.org/debian}
  printf 'deb %s %s main\n' "$main" "$1" "$main" "$1-updates" \
    "${security:-http://deb.debian.org/debian-security}" "$1-security"
}
