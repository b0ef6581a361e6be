#!/usr/bin/env bash
# run.sh BUILD_FOLDER
#
# Does what a user of the wheel does: makes it, installs it into a fresh environment without the network, and runs the
# tests of this folder. Exit code 77, which means skipped, where Python lacks something.
set -euo pipefail

build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python=
for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
  if "$candidate" -c 'import ensurepip, numpy, pytest, setuptools, venv, wheel' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "skipped: it needs Python with numpy, pytest, setuptools, venv and wheel; scripts/install-packages installs them"
  exit 77
fi

PYTHON=$python "$here/../../scripts/wheel" "$build" "$work/wheel"
"$python" -m venv --system-site-packages "$work/environment"
"$work/environment/bin/python" -m pip install -q --no-index --no-deps --disable-pip-version-check "$work"/wheel/*.whl

# The tests are copied, so that they cannot find the modules of the source tree.
mkdir "$work/tests"
cp "$here"/*.py "$work/tests"
cd "$work/tests"
export COPSE_ASSETS=$here/../../assets COPSE_GALLERY=$here/../../examples/python/gallery
"$work/environment/bin/python" -m pytest -q -rs -p no:cacheprovider .
examples=(first_hits raycasting_scene mapped_mesh)
"$work/environment/bin/python" -c 'import torch' 2>/dev/null && examples+=(gradients)
"$work/environment/bin/python" -W ignore "$here/../../examples/python/own_arrays.py" "$work/picture.png"
[[ -s $work/picture.png ]] || { echo "own_arrays.py wrote no picture" >&2; exit 1; }
for example in "${examples[@]}"; do
  "$work/environment/bin/python" -W ignore "$here/../../examples/python/$example.py" "$here/../../assets/testball.ply"
done
