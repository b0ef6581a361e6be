#!/usr/bin/env bash
# fetch_content.sh SOURCE_FOLDER CMAKE CXX_COMPILER
#
# Does what docs/guide/install.md says for a copy of the repository beside a program: FetchContent, build, run. The build
# must make the part of the library that the program links to, and no other part. It compiles that part, which takes minutes.
set -euo pipefail

source=$1 cmake=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "fetch_content: $*" >&2; exit 1; }

mkdir -p "$work/project/external"
ln -s "$source" "$work/project/external/copse"
cp "$source/examples/first_hit/main.cpp" "$work/project"
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(fetches_copse LANGUAGES CXX)'
  echo 'add_executable(your_program main.cpp)'
  # The lines of the page, with one part in place of all of them.
  sed -n '/^include(FetchContent)$/,/^```$/{/^```$/!p}' "$source/docs/guide/install.md" | sed 's/copse::copse/copse::core/'
} >"$work/project/CMakeLists.txt"
grep -q 'target_link_libraries(your_program PRIVATE copse::core)' "$work/project/CMakeLists.txt" ||
  fail "docs/guide/install.md has no lines with FetchContent any more"

"$cmake" -S "$work/project" -B "$work/build" -G Ninja -DCOPSE_CUDA=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" >"$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
libraries=$(find "$work/build" -name '*.a' -o -name '*.so*' | xargs -n1 basename | sort | tr '\n' ' ')
[[ $libraries == "libcopse-core.a " ]] || fail "these libraries were built: $libraries"
"$work/build/your_program"
