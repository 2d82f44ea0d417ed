#!/usr/bin/env bash
# setup.sh GROUP...: installs, by name, the Debian or Ubuntu packages that the named groups need and that are missing.
# Does nothing, quickly and without root, when all are there. On other systems it lists what to install.
set -euo pipefail

build=(cmake ninja-build pkg-config libcli11-dev libfmt-dev zlib1g-dev libbz2-dev libzstd-dev liblzma-dev libhwy-dev libtbb-dev
       libdivsufsort-dev libxxhash-dev libpng-dev libhpdf-dev)
test=(libgtest-dev librapidcheck-dev)
fuzz=(clang)
lint=(clang-format clang-tidy)
docs=(doxygen)
deb=(mmdebstrap)
mpi=(mpich libmpich-dev)              # one MPI library, for the plugin and the tests of several ranks
openmpi=(openmpi-bin libopenmpi-dev)  # and the other one
python=(python3-dev python3-venv)
peers=(pftools bowtie samtools bcftools mummer minimap2 libhyperscan-dev libedlib-dev man-db groff valgrind doxygen patch diffutils
       python3 python3-matplotlib chromium poppler-utils)   # what tests compare against, count, check or open with, where installed

wanted=()
for group in "$@"; do
  declare -n packages=$group
  wanted+=("${packages[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "weft needs these libraries (named as Debian names them); install them with your package manager:" >&2
  echo "  ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  case $status in
    ii*) ;;
    *)   # a tool that came another way counts as well
      case $package in
        cmake) command -v cmake >/dev/null || missing+=("$package");;
        ninja-build) command -v ninja >/dev/null || missing+=("$package");;
        pkg-config) command -v pkg-config >/dev/null || missing+=("$package");;
        chromium) command -v chromium >/dev/null || grep -qs '^ID=ubuntu' /etc/os-release || missing+=("$package");;   # a snap there
        clang-format|clang-tidy) command -v "$package" >/dev/null || missing+=("$package");;
        clang) command -v clang++ >/dev/null || missing+=("$package");;
        python3-dev) python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
                     missing+=("$package");;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=("$package");;
        doxygen) command -v doxygen >/dev/null || missing+=("$package");;
        *) missing+=("$package");;
      esac;;
  esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing: ${missing[*]}"
root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "error: as root, run: apt-get install ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${root[@]}" apt-get update && "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
       apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "error: the packages above could not be installed" >&2
  exit 1
fi
