#!/usr/bin/env bash
# add_subdirectory.sh SOURCE_FOLDER CMAKE CXX_COMPILER
#
# Does what a project does that has Copse as a folder of its own build. The build must have the targets of the library
# alone, install nothing of Copse, and give the project one include path and no other option. The project makes all
# warnings errors. To save minutes, only its own source is compiled, and the library is not.
set -euo pipefail

source=$1 cmake=$2 compiler=$3
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/project" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Werror"
fail() { echo "add_subdirectory: $*" >&2; exit 1; }

cp -r "$project" "$work/project"
"$cmake" -S "$work/project" -B "$work/build" -G Ninja -DCOPSE_SOURCE="$source" -DCOPSE_CUDA=OFF \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$warnings" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" || { cat "$work/log"; exit 1; }

linked=$(ninja -C "$work/build" -t targets all | sed -nE 's/^([^:]*): [A-Z]*_(EXECUTABLE|SHARED_LIBRARY)_LINKER.*/\1/p')
[[ $linked == consumer ]] || fail "these are programs and shared libraries of the build: $linked"
command=$(python3 -c 'import json, sys
print(*[c["command"] for c in json.load(open(sys.argv[1])) if c["file"].endswith("/project/main.cpp")])' \
  "$work/build/compile_commands.json")
folders=$(grep -oE -- '-I[^ ]+|-isystem [^ ]+' <<<"$command" | tr '\n' ' ')
[[ $folders == "-I$work/project -I$work/build/copse/headers " ]] || fail "the project's source is compiled with $folders"
options=$(sed -E 's/^[^ ]+ //; s/-(I|isystem |o |c )[^ ]+//g; s/ +/ /g' <<<"$command")
[[ $options == " $warnings -std=gnu++20 " ]] || fail "the project's source is compiled with the options$options"

ninja -C "$work/build" CMakeFiles/consumer.dir/main.cpp.o
"$cmake" --install "$work/build" --prefix "$work/prefix" >"$work/log"
[[ ! -e $work/prefix ]] || fail "these files would be installed: $(find "$work/prefix" -type f | head)"
