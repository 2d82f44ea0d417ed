#!/usr/bin/env bash
# static_libraries.sh PREFIX: the libraries of weft that Debian and Ubuntu have as shared objects only, built as static ones from the system's own
# source packages (signed, fetched by apt into PREFIX/source) and installed in PREFIX. Each once; touches nothing outside PREFIX.
set -euo pipefail
mkdir -p "$1/source/lists/partial"
prefix=$(cd "$1" && pwd)
jobs=${JOBS:-$(nproc)}
flags=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib
       -DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_TESTING=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5)

apt=()
prepare_apt() { # apt with source packages of this release
  [ ${#apt[@]} -eq 0 ] || return 0
  command -v apt-get >/dev/null || { echo "error: the sources come from apt; put static $1 into $prefix by hand" >&2; exit 1; }
  . /etc/os-release
  local mirror=http://deb.debian.org/debian part=main
  [ "$ID" = ubuntu ] && mirror=http://archive.ubuntu.com/ubuntu part="main universe"
  echo "deb-src $mirror $VERSION_CODENAME $part" >"$prefix/source/sources.list"
  apt=(apt-get -q -o Dir::Etc::SourceList="$prefix/source/sources.list" -o Dir::Etc::SourceParts=/dev/null
       -o Dir::State::Lists="$prefix/source/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update
}

add() { # add LIBRARY SOURCE_PACKAGE FLAGS...
  local library=$1 package=$2 folder
  shift 2
  [ ! -f "$prefix/lib/lib$library.a" ] || return 0
  echo "Building lib$library.a"
  prepare_apt "lib$library.a"
  (cd "$prefix/source" && rm -rf "$package"-*/ && "${apt[@]}" source --download-only --tar-only "$package" && unpack "$package")
  folder=$prefix/source/$package
  cmake -S "$folder" -B "$folder/build" -G Ninja "${flags[@]}" "$@"
  cmake --build "$folder/build" -j "$jobs"
  cmake --install "$folder/build"
}

unpack() { # the archive that apt has verified; Debian's patches are not needed for these
  rm -rf "$1" && mkdir "$1"
  tar -xf "$(ls "$1"_*.orig.tar.* | grep -v '\.asc$')" -C "$1" --strip-components=1
}

log=$prefix/source/log
{
  add fmt fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
  add hwy highway -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_SYSTEM_GTEST=ON
  add divsufsort64 libdivsufsort -DBUILD_DIVSUFSORT64=ON -DBUILD_EXAMPLES=OFF -DUSE_OPENMP=OFF
  add tbb onetbb -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
  add hpdfs libharu -DLIBHPDF_SHARED=OFF -DLIBHPDF_EXAMPLES=OFF
} >"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 1; }
