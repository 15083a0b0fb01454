#!/usr/bin/env bash
# Checks that all code is formatted according to .clang-format; with --fix, formats it.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)
git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*-inl.h' | xargs clang-format "${mode[@]}"
