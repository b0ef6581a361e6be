#!/usr/bin/env bash
# find_package.sh PREFIX CMAKE CXX_COMPILER GENERATOR BUILD_TYPE [CMAKE_OPTION...]
#
# Does what a user of an installed Copse does: find_package(copse), build, run. nvcc is taken off the PATH, because a
# user of the library does not need it. The project has a header trace/ray.h of its own.
set -euo pipefail

prefix=$1 cmake=$2 compiler=$3 generator=$4 build_type=$5
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/project" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

path_without_nvcc=
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
  [[ -x $folder/nvcc ]] || path_without_nvcc+=${path_without_nvcc:+:}$folder
done

# The project is copied, so that it cannot find anything of the source tree by accident.
cp -r "$project" "$work/project"
cmake_command=$(command -v "$cmake")
generator_program=
[[ $generator != Ninja ]] || generator_program=$(command -v ninja)
PATH=$path_without_nvcc "$cmake_command" -S "$work/project" -B "$work/build" -G "$generator" \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$build_type" \
  ${generator_program:+-DCMAKE_MAKE_PROGRAM="$generator_program"} "${@:6}"
PATH=$path_without_nvcc "$cmake_command" --build "$work/build"
"$work/build/consumer"
