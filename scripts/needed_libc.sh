#!/usr/bin/env bash
# needed_libc.sh PROGRAM...: prints the oldest release of glibc that all the programs run with. Fails if one of them needs
# another shared library than those of glibc and of MPI.
set -euo pipefail
libc=0
for program in "$@"; do
  foreign=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libpthread|libdl|librt|libmpi|libmpich|ld-linux.*)\.so' || true)
  [ -z "$foreign" ] || { echo "error: $program needs" $foreign >&2; exit 1; }
  if ldd "$program" | grep -q 'not found'; then echo "error: $program: $(ldd "$program" | grep 'not found')" >&2; exit 1; fi
  needed=$(readelf -V "$program" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  libc=$(printf '%s\n' "$libc" "${needed#GLIBC_}" | sort -V | tail -n 1)
done
echo "$libc"
