#!/usr/bin/env bash
# shared.sh PREFIX COMPILER
#
# Does what a user of the shared library does without CMake: asks pkg-config for the options, compiles, links and runs.
# Warnings are errors, and pkg-config names the folder of the headers by -I. The header must compile soon, the program
# must be small, and the library must export nothing but names of Copse.
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
"$compiler" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$work/project" "$work/project/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs copse) \
  "-Wl,-rpath,$(pkg-config --variable=libdir copse)"
"$work/consumer"

# On a quiet core the header takes less than 1.5 seconds. The limit leaves room for tests that run at the same time.
echo '#include <copse/copse.h>' >"$work/header.cpp"
# shellcheck disable=SC2046  # the options are several words
seconds=$(TIMEFORMAT=%U; { time "$compiler" -std=c++20 -O2 -c "$work/header.cpp" -o "$work/header.o" $(pkg-config --cflags copse); } 2>&1)
echo "<copse/copse.h> compiles in $seconds seconds of processor time"
awk -v seconds="$seconds" 'BEGIN { exit !(seconds < 6) }' || fail "<copse/copse.h> took '$seconds' seconds to compile; the limit is 6"

size=$(stat -c %s "$work/consumer")
[[ $size -lt 5000000 ]] || fail "the program has $size bytes; the limit is 5000000"
library=$(pkg-config --variable=libdir copse)/libcopse.so.0
[[ $(readelf -d "$work/consumer") == *libcopse.so.0]* ]] || fail "the program does not ask for libcopse.so.0"
foreign=$(nm -DC --defined-only "$library" | sed 's/^[^ ]* . //' | grep -vE '(^|^(typeinfo|typeinfo name|vtable|guard variable) for )copse::|^[^(]* copse::' || true)
[[ -z $foreign ]] || fail "$library exports names that are not of Copse: $(head -5 <<<"$foreign")"
