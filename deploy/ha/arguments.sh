# shellcheck shell=bash
# Reads the arguments of deploy/ha/down, status, roll and key: --data DIR. Puts all other arguments into `rest`.
# Sourced after set.sh.

rest=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --data)
      [[ $# -ge 2 ]] || fail "--data needs a value"
      dir=$2
      shift 2
      ;;
    -h | --help)
      sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *)
      rest+=("$1")
      shift
      ;;
  esac
done
use_set
[[ -f $dir/addresses ]] || fail "found no set in $dir; make one with deploy/ha/up"
