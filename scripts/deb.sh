#!/usr/bin/env bash
# deb.sh: builds build/deb/weft_VERSION_ARCHITECTURE.deb, a package with the command, its manual page and completions. The program is linked
# statically but for libc (scripts/static_build.sh; BUNDLE_CUDA and BUNDLE_ARCHITECTURES as there), so one package serves Debian 12,
# Ubuntu 24.04 and later releases. The plugins for Open MPI and MPICH are linked with these libraries, which the package suggests: they
# are used where a launcher has started the command.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v dpkg-deb >/dev/null || { echo "error: dpkg-deb builds the package; it is part of Debian and Ubuntu" >&2; exit 1; }
scripts/static_build.sh weft_program

version=$(sed -n 's/^project(weft VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
built=build/bundle/cli root=build/deb/root
rm -rf build/deb
install -D -m 755 -s $built/weft $root/usr/bin/weft
cmake --install build/bundle --component mpi_plugins --strip --prefix $root/usr >>build/bundle/log
mapfile -t plugins < <(find $root/usr -name 'weft_mpi_*.so')
[ ${#plugins[@]} -eq 2 ] || { echo "error: the package needs both MPI libraries: scripts/setup.sh mpi openmpi" >&2; exit 1; }
install -D -m 644 $built/documents/weft.1 $root/usr/share/man/man1/weft.1
install -D -m 644 $built/documents/weft.bash $root/usr/share/bash-completion/completions/weft
install -D -m 644 $built/documents/_weft $root/usr/share/zsh/vendor-completions/_weft
install -D -m 644 $built/documents/weft.fish $root/usr/share/fish/vendor_completions.d/weft.fish
install -D -m 644 CHANGELOG.md $root/usr/share/doc/weft/changelog
gzip -9n $root/usr/share/man/man1/weft.1 $root/usr/share/doc/weft/changelog
cat >$root/usr/share/doc/weft/copyright <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: weft

Files: *
Copyright: the authors of weft
License: Apache-2.0
 On Debian systems the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
TEXT
mkdir -p $root/DEBIAN
cat >$root/DEBIAN/control <<TEXT
Package: weft
Version: $version
Architecture: $architecture
Maintainer: The authors of weft <weft@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN $root | cut -f1)
Depends: libc6 (>= $(scripts/needed_libc.sh $root/usr/bin/weft "${plugins[@]}"))
Suggests: openmpi-bin, mpich
Section: science
Priority: optional
Description: sequence primitives: motif search, LCS, sorting, BWT and indexes
 One command that searches PROSITE motifs in proteomes, compares whole
 genomes, sorts lines and arrays, and builds and searches string indexes.
 It uses all processors, and a CUDA GPU where the NVIDIA driver is installed.
TEXT
(cd $root && find usr -type f -exec md5sum {} +) >$root/DEBIAN/md5sums
package=build/deb/weft_${version}_$architecture.deb
dpkg-deb --root-owner-group --build $root "$package" >/dev/null
echo "$package ($(du -h "$package" | cut -f1), $(sed -n 's/^Depends: /needs /p' $root/DEBIAN/control))"
