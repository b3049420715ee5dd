# shellcheck shell=bash
# Boots roots with systemd as process 1, in namespaces. A real systemd runs the units there with all of their
# restrictions. Sourced after lib.sh.

declare -A cgroup_of=() # by the pid of each booted systemd

# boot ROOT [PID]: boots ROOT in the network of process PID. Sets `init` to systemd's pid. Returns 1 if this host allows
# no new cgroup.
boot() {
  local root=$1 network=${2:-$$} tree cgroup
  tree=$(findmnt --noheadings --first-only --output TARGET --types cgroup2) || return 1
  cgroup=$tree/tunehub-test-${work##*.}-$(basename "$root")
  mkdir "$cgroup" 2>/dev/null || return 1
  # Prevents login prompts.
  ln -sf /dev/null "$root/etc/systemd/system/getty.target"
  ln -sf /dev/null "$root/etc/systemd/system/console-getty.service"
  (
    echo "$BASHPID" >"$cgroup/cgroup.procs"
    exec nsenter --target "$network" --net -- unshare --mount --pid --fork --kill-child --uts --ipc --cgroup --propagation private \
      bash "$repo/tests/packages/boot" "$root"
  ) </dev/null >"$work/boot.log" 2>&1 &
  started+=("$!")
  local end=$((SECONDS + patience))
  until init=$(cat "/proc/$!/task/$!/children") && [[ -n $init ]]; do sleep 0.1; done
  init=${init// /}
  cgroup_of[$init]=$cgroup
  until [[ $(inside systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]; do
    ((SECONDS < end)) || fail "systemd does not finish booting: $(inside systemctl list-jobs 2>&1)"
    sleep 0.5
  done
}

# inside COMMAND...: runs a command in the root that was booted last.
inside() {
  nsenter --target "$init" --net --mount --pid --uts --ipc --cgroup --root --wd -- /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# power_off STATUS: kills each booted systemd, because it ignores SIGTERM; its namespaces end with it. If STATUS is a
# failure, keeps the journal.
power_off() {
  local tries cgroup
  for init in "${!cgroup_of[@]}"; do
    cgroup=${cgroup_of[$init]}
    [[ $1 -eq 0 ]] || inside journalctl --no-pager --lines 40 >"$work/journal-${cgroup##*-}.log" 2>&1 || true
    kill -KILL "$init"
    for ((tries = 0; tries < 100; ++tries)); do
      [[ ! -d $cgroup ]] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ -d $cgroup ]] || break
      sleep 0.1
    done
    unset "cgroup_of[$init]"
  done
}
