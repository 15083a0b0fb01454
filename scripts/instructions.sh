#!/usr/bin/env bash
# Counts the instructions of fixed calls (one thread, AVX2) and compares them with bench/instructions.txt. The counts do
# not depend on the load of the machine. Fails if a call needs over 2 % more than recorded.
#
# Usage: scripts/instructions.sh [--record]
#   --record   write the counts to bench/instructions.txt instead
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

recorded=bench/instructions.txt
case ${1:-} in
  "" | --record) ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; [ "$1" = --help ]; exit ;;
esac

need_packages build test
step instructions-build configure_and_build release bench_instructions
program=build/release/bench/bench_instructions
universe=build/bench/universe48.raw
mkdir -p build/bench
[ -s $universe ] || "$program" sample $universe

# count CALL SET BOX: prints the instructions inside the call. AVX2, because valgrind does not support AVX-512.
count() {
  KITH_TARGET=AVX2 valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=measured \
    "$program" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# recorded_count NAME: prints the recorded count, or nothing if there is none.
recorded_count() { [ ! -f $recorded ] || awk -v name="$1" '$1 == name { print $2 }' $recorded; }

lines=""
too_many=0
printf '%-24s %12s %12s %8s\n' call instructions recorded change
for call in knn fof; do
  for set in uniform $universe; do
    for box in open periodic; do
      name=$call-$(basename "$set" 48.raw)-$box
      counted=$(count $call $set $box)
      before=$(recorded_count "$name")
      lines+="$name $counted"$'\n'
      printf '%-24s %12d %12d %7.1f%%\n' "$name" "$counted" "${before:-0}" \
        "$(awk -v a="$counted" -v b="${before:-$counted}" 'BEGIN { print 100 * (a / b - 1) }')"
      if [ -n "$before" ] && [ $((counted * 100)) -gt $((before * 102)) ]; then too_many=$((too_many + 1)); fi
    done
  done
done
if [ "${1:-}" = --record ]; then
  printf '%s' "$lines" >$recorded
else
  [ $too_many = 0 ] || echo "$too_many calls need over 2 % more instructions than recorded in $recorded"
  [ $too_many = 0 ]
fi
