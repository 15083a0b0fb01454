#!/usr/bin/env bash
# Builds the documentation as a website in build/site; open build/site/index.html in a browser.
# The site and its search work without a network.
#
# Usage: scripts/docs.sh [--serve]
#   --serve   also serve the site on http://localhost:8000 until you press Ctrl-C
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in
  '' | --serve) ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; [ "$1" = --help ]; exit ;;
esac

need_packages build
need_python "mkdocs-material==9.*"
[ -x build/release/cli/kith ] || step program configure_and_build release kith_program

build_site() {
  "$python" scripts/site/pages.py build/release/cli/kith build/site-source
  # --strict makes broken links errors; the variable silences an advertisement for MkDocs 2.
  NO_MKDOCS_2_WARNING=1 "$python" -m mkdocs build --strict --quiet --config-file build/site-source/mkdocs.yml \
    --site-dir "$PWD/build/site"
  "$python" scripts/site/offline.py build/site
}
step site build_site
echo "$PWD/build/site/index.html"
[ "${1:-}" != --serve ] || "$python" -m http.server --directory build/site 8000
[ ${#failed_steps[@]} = 0 ]
