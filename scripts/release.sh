#!/usr/bin/env bash
# Makes and checks everything that a release publishes, from a clean clone: source archives, wheels for all Pythons, the
# website, checksums.
#
# Usage: scripts/release.sh [--draft]
#   --draft   accept uncommitted changes and a version that CHANGELOG.md does not date
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

is_draft=no
case ${1:-} in
  '') ;;
  --draft) is_draft=yes ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; [ "$1" = --help ]; exit ;;
esac

version=$(sed -n 's/^project(kith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
files=$PWD/build/release-files

# The version has a dated section of CHANGELOG.md and the same date in CITATION.cff.
check_version() {
  local date
  git diff --quiet HEAD || { echo "there are uncommitted changes" && return 1; }
  date=$(sed -n "s/^## $version (\(20[0-9-]*\))$/\1/p" CHANGELOG.md)
  [ -n "$date" ] || { echo "CHANGELOG.md has no line: ## $version (YEAR-MONTH-DAY)" && return 1; }
  grep -qx "version: $version" CITATION.cff || { echo "CITATION.cff: the version is not $version" && return 1; }
  grep -qx "date-released: $date" CITATION.cff || { echo "CITATION.cff: the date is not $date" && return 1; }
}

gather() {
  rm -rf "$files" && mkdir -p "$files" || return 1
  git archive --prefix="kith-$version-source/" -o "$files/kith-$version-source.tar.gz" HEAD || return 1
  tar czf "$files/kith-$version-site.tar.gz" -C build site || return 1
  cp build/dist/kith-"$version"* "$files" && (cd "$files" && sha256sum -- * >SHA256SUMS)
}

echo "kith $version: making a release"
need_packages build mpi test python
[ $is_draft = yes ] || step version check_version
scripts/python.sh wheels || failed_steps+=(wheels)
scripts/docs.sh || failed_steps+=(site)
step gather gather
if [ ${#failed_steps[@]} -gt 0 ]; then echo "failed: ${failed_steps[*]}" && exit 1; fi
ls -l "$files"
