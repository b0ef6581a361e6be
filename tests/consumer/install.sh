#!/usr/bin/env bash
# install.sh BUILD_FOLDER CMAKE PREFIX
#
# Installs Copse to PREFIX for the tests of this folder, and checks the headers: each includes the others as
# <copse/...>, and what it includes is installed.
set -euo pipefail

build=$1 cmake=$2 prefix=$3
rm -rf "$prefix"
mkdir -p "$prefix"
"$cmake" --install "$build" --prefix "$prefix" >"$prefix/install.log"

cd "$prefix/include"
faults=0
if grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' copse; then
  echo "these lines include an installed header by its name in quotes, which a user's own header may have" >&2
  faults=1
fi
while read -r header; do
  if [[ ! -f $header ]]; then
    echo "$header is not installed, but these include it:" >&2
    grep -rlF "<$header>" copse >&2
    faults=1
  fi
done < <(grep -rhoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<copse/[^>]*>' copse | sed 's/.*<\(.*\)>/\1/' | sort -u)
[[ $faults -eq 0 ]] || exit 1
echo "$(find copse -type f | wc -l) headers are installed"
