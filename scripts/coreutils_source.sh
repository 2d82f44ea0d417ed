#!/usr/bin/env bash
# coreutils_source.sh: prints the path of GNU sort's table of test cases, out of the source package of coreutils that apt (signed, with a
# configuration of its own) fetches once into ${XDG_CACHE_HOME:-~/.cache}/weft/coreutils. Fails where there is no apt or no network.
set -euo pipefail
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/weft/coreutils
find_table() { find "$cache/unpacked" -name sort.pl -path '*tests*' 2>/dev/null | head -n 1 || true; }
table=$(find_table)
if [ -z "$table" ]; then
  command -v apt-get >/dev/null && [ -r /etc/os-release ] || exit 1
  mkdir -p "$cache/lists/partial"
  . /etc/os-release
  mirror=http://deb.debian.org/debian part=main
  [ "$ID" = ubuntu ] && mirror=http://archive.ubuntu.com/ubuntu
  echo "deb-src $mirror $VERSION_CODENAME $part" >"$cache/sources.list"
  apt=(timeout 60 apt-get -q -o Dir::Etc::SourceList="$cache/sources.list" -o Dir::Etc::SourceParts=/dev/null
       -o Dir::State::Lists="$cache/lists" -o APT::Sandbox::User=root -o Acquire::Retries=0 -o Acquire::http::Timeout=10)
  { "${apt[@]}" update && cd "$cache" && "${apt[@]}" source --download-only coreutils; } >"$cache/log" 2>&1 || exit 1
  rm -rf "$cache/unpacked.new" && mkdir "$cache/unpacked.new"
  tar -xf "$(ls "$cache"/coreutils_*.orig.tar.* | grep -v '\.asc$' | head -n 1)" -C "$cache/unpacked.new" --wildcards '*/tests/*sort*'
  rm -rf "$cache/unpacked" && mv "$cache/unpacked.new" "$cache/unpacked"
  table=$(find_table)
fi
[ -n "$table" ] && echo "$table"
