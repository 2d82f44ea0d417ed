#!/usr/bin/env bash
# deb_check.sh [RELEASE]: installs the package of scripts/deb.sh in a fresh minimal system of that release of Debian or Ubuntu (default: bookworm)
# and uses it there. Needs root and mmdebstrap. The new system is below build/deb.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${1:-bookworm}
package=$(ls build/deb/weft_*.deb)
fresh=$PWD/build/deb/$release
trap 'rm -rf "$fresh"' EXIT
source=()
case $release in
  jammy|noble)   # Debian 12 has no package with Ubuntu's keys: without them the system, which is thrown away, is not verified
    [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || source=("deb [trusted=yes] http://archive.ubuntu.com/ubuntu $release main");;
esac
mmdebstrap --quiet --variant=essential "$release" "$fresh" "${source[@]}"
cp "$package" "$fresh/weft.deb"
inside() { chroot "$fresh" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside dpkg -i /weft.deb >/dev/null
[ "$(inside weft --version)" = "weft $(dpkg-deb -f "$package" Version)" ]
[ "$(printf '3\n1\n2\n' | inside weft sort | tr '\n' ' ')" = "1 2 3 " ]
printf '>r1\nGATTACAGATTACA\n' >"$fresh/reference.fa"
inside weft index /reference.fa -o /reference.wfi
[ "$(inside weft find /reference.wfi -e GATTACA --count | tail -n 1)" = "$(printf 'GATTACA\t2')" ]
# The plugins for MPI are found; their libraries are not there.
for mpi in "libmpi.so.40 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0" "libmpich.so.12 PMI_SIZE=2 PMI_RANK=0"; do
  message=$(inside env ${mpi#* } weft sort /dev/null 2>&1 || true)
  [[ $message == *"${mpi%% *}"* ]] || { echo "error: weft does not use its plugin for ${mpi%% *}: $message" >&2; exit 1; }
done
[ -n "$(inside find /usr/share/man -name 'weft.1*')" ] || echo "note: this system leaves manual pages out"
inside dpkg -P weft >/dev/null
! inside test -e /usr/bin/weft
echo "$package installs, runs and is removed again on $release"
