# shellcheck shell=bash
# Runs steps that take minutes, and shows their progress and time. Sourced.
#   on a terminal   a step is one line that changes
#   elsewhere       a step prints a line when it begins and a line when it ends
# The command's output goes into $steps_log. If the command fails, the end of its output appears, too.

steps_log=
steps_done=0
steps_of=0

# begin_steps LOG COUNT
begin_steps() {
  steps_log=$1 steps_done=0 steps_of=$2
  mkdir -p -- "${1%/*}"
  : >"$steps_log"
  # Reserves space, so that a command that fills the disk can still log its error. Some file systems cannot reserve.
  local said
  said="$(fallocate --keep-size --length 1M -- "$steps_log" 2>&1)" || [[ $said == *support* ]] || echo "$steps_log: $said" >&2
}

# Prints "n m", the progress since byte $1 of the log: n of m steps of ninja, or of apt's packages.
step_progress() {
  tail -c "+$(($1 + 1))" -- "$steps_log" | tr '\r' '\n' | awk '
    match($0, /^\[[0-9]+\/[0-9]+\]/) { split(substr($0, 2, RLENGTH - 2), at, "/"); n = at[1]; m = at[2] }
    / newly installed,/ { for (i = 2; i <= NF; i++) if ($i == "newly") m = 2 * $(i - 1) }
    /^Unpacking |^Setting up / { n++ }
    END { if (m > 0) print (n > m ? m : n), m }'
}

# minutes SECONDS: prints "4 min 05 s".
minutes() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# show_step TITLE BEGAN OFFSET: overwrites the terminal's last line. It estimates the remaining time from the progress.
show_step() {
  local n m seconds=$((SECONDS - $2)) text
  text="$1: $(minutes "$seconds")"
  if read -r n m < <(step_progress "$3") && ((n > 0)); then
    text+=", $((100 * n / m)) %"
    ((n == m || seconds < 5)) || text+=", about $(minutes $((seconds * (m - n) / n))) left"
  fi
  printf '\r%s\033[K' "$text"
}

# watch_step TITLE BEGAN OFFSET: runs until it is killed, or until the shell that waits for the step has ended.
watch_step() {
  while kill -0 $$ 2>/dev/null; do
    show_step "$@"
    sleep 0.5
  done
}

# step TITLE COMMAND...: runs COMMAND and returns its status.
step() {
  local title began=$SECONDS offset watcher rc=0
  steps_done=$((steps_done + 1))
  title="[$steps_done/$steps_of] $1"
  shift
  offset=$(stat -c %s -- "$steps_log")
  if [[ -t 1 ]]; then
    watch_step "$title" "$began" "$offset" 2>/dev/null &
    watcher=$!
  else
    echo "$title"
  fi
  # Runs in the foreground, because bash makes background commands ignore Ctrl-C.
  "$@" </dev/null >>"$steps_log" 2>&1 || rc=$?
  if [[ -t 1 ]]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    printf '\r\033[K'
  fi
  if ((rc == 0)); then
    echo "$title: $(minutes $((SECONDS - began)))"
  else
    echo "$title: FAILED with status $rc after $(minutes $((SECONDS - began))); the end of $steps_log:" >&2
    tail -c "+$((offset + 1))" -- "$steps_log" | tail -n 30 >&2
  fi
  return "$rc"
}
