#!/usr/bin/env bash
# Checks a GPU with the Python package of kith, which is all it needs: no compiler, no clone.
#
# Usage: gpu.sh [DEVICE] [--quick]
#   DEVICE    as for device= (gpu, gpu:1, cuda, hip:0, opencl:1, a PCI address or a UUID); gpu if not given
#   --quick   fewer cases and smaller sets: about a minute
# Writes gpu-report.txt and ends with one line, PASS or FAIL; the exit code is 0 or 1. Attach the file when you report
# something. PYTHON names the interpreter that has kith (python3).
set -euo pipefail
case " $* " in *" --help "*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit ;; esac
exec "${PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/gpu.py" "$@"
