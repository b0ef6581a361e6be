#!/usr/bin/env bash
# run_c.sh BUILD_FOLDER CMAKE C_COMPILER GENERATOR BUILD_TYPE
#
# Does what a user of the installed C library does. It installs the components of the C interface alone. Then it
# builds the tests of the C interface by find_package(copse COMPONENTS c), in a project without C++, and the example by
# pkg-config, and runs them.
set -euo pipefail

build=$1 cmake=$2 compiler=$3 generator=$4 build_type=$5
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for component in c c-development; do
  "$cmake" --install "$build" --prefix "$work/prefix" --component "$component" >>"$work/install.log"
done

# The sources are copied, so that they cannot find anything of the source tree by accident.
cp -r "$root/tests/consumer/project_c" "$work/project"
cp "$root"/tests/capi/*.[ch] "$work/project"
"$cmake" -S "$work/project" -B "$work/build" -G "$generator" \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$build_type" >"$work/configure.log"
"$cmake" --build "$work/build" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/build/answers" cpu "$work"
"$work/build/errors" cpu "$work"

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name copse-c.pc)")
  export PKG_CONFIG_PATH
  cp "$root/examples/c/first_hits.c" "$work"
  # shellcheck disable=SC2046  # the flags are several words
  "$compiler" -std=c99 -pedantic -Werror "$work/first_hits.c" -o "$work/first_hits" \
    $(pkg-config --cflags --libs copse-c) "-Wl,-rpath,$(pkg-config --variable=libdir copse-c)"
  "$work/first_hits" "$root/assets/testball.ply"
fi
echo "the installed C library works"
