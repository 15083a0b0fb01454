#!/bin/sh
# Kills a rank in the middle of a call: the launcher must soon end the others with an error.
# Usage: killed_rank.sh LAUNCH MPIEXEC RANKS PROGRAM
set -u

timeout 60 "$1" "$2" "$3" "$4" --gtest_also_run_disabled_tests --gtest_filter='*KilledRank' >/dev/null 2>&1
code=$?
if [ $code -eq 0 ] || [ $code -eq 124 ]; then
  echo "the launcher ended with $code: 0 means that no rank noticed, 124 that the others waited for ever"
  exit 1
fi
