#!/usr/bin/env bash
# shared.sh PREFIX COMPILER
#
# Does what a user of the shared library does without CMake: asks pkg-config for the options, compiles, links and runs.
# The program must be small, and the library must export nothing but names of Copse.
set -euo pipefail

prefix=$1 compiler=$2
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/project" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "shared: $*" >&2; exit 1; }

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name copse.pc)")
export PKG_CONFIG_PATH
cp -r "$project" "$work/project"
# shellcheck disable=SC2046  # the options are several words
"$compiler" -std=c++20 -O2 -I"$work/project" "$work/project/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs copse) \
  "-Wl,-rpath,$(pkg-config --variable=libdir copse)"
"$work/consumer"

size=$(stat -c %s "$work/consumer")
[[ $size -lt 5000000 ]] || fail "the program has $size bytes; the limit is 5000000"
library=$(pkg-config --variable=libdir copse)/libcopse.so.0
[[ $(readelf -d "$work/consumer") == *libcopse.so.0]* ]] || fail "the program does not ask for libcopse.so.0"
foreign=$(nm -DC --defined-only "$library" | sed 's/^[^ ]* . //' | grep -vE '(^|^(typeinfo|typeinfo name|vtable|guard variable) for )copse::|^[^(]* copse::' || true)
[[ -z $foreign ]] || fail "$library exports names that are not of Copse: $(head -5 <<<"$foreign")"
