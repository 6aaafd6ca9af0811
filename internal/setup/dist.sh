#!/bin/sh
# Makes the packages of `make dist` in bin/dist/: an archive that runs wherever it is
# unpacked, and a Debian package. Programs are linked statically, so the archive needs no
# library of the system's, nor its C library. Times are those of the commit, and names of
# folders are left out: the same sources and tools make the same bytes.
#
# dist.sh VERSION

set -eu
version=$1
cd "$(dirname "$0")/../.."
top=$(pwd)
. internal/setup/env.sh

fail() {
	echo "dist: $*" >&2
	exit 1
}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
name=landgo-$version-linux-amd64
out=$top/bin/dist
tree=$out/$name
rm -rf "$out"
mkdir -p "$tree/bin" "$tree/libexec/landgo" "$tree/share/landgo/demo" "$tree/share/doc/landgo"

# ---- the programs ----------------------------------------------------------

flags="-s -w -buildid= -X main.version=$version"
CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "$flags" -o "$tree/bin/landgo" ./cmd/landgo
CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "$flags" -o "$tree/libexec/landgo/landgo-class" ./cmd/landgo-class

archive=$(find .deps/usr/lib -name libunicorn.a 2>/dev/null | head -n 1)
[ -n "$archive" ] || archive=$(gcc -print-file-name=libunicorn.a)
[ -f "$archive" ] || fail "no libunicorn.a: the engine is linked statically. Debian's libunicorn-dev has it"
# The engine has an abort of its own (emu/abort.c), which comes before the C library's.
static="-static -Wl,--allow-multiple-definition -Wl,--build-id=none"
engine=$out/landgo-engine
CGO_CFLAGS="$(printf %s "${CGO_CFLAGS:--g -O2}") -ffile-prefix-map=$top=." CGO_LDFLAGS="-L$(dirname "$archive")" \
	go build -pgo=cmd/landgo-engine/engine.pgo -buildvcs=false -trimpath -tags netgo,osusergo -ldflags "$flags -linkmode external -extldflags '$static -lunicorn -lm -lpthread'" \
	-o "$engine" ./cmd/landgo-engine
if readelf -l "$engine" | grep -q INTERP; then
	fail "the engine isn't static"
fi
mv "$engine" "$tree/libexec/landgo/landgo-engine"

# ---- what lies beside them -------------------------------------------------

landgo=$tree/bin/landgo
mkdir -p "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
"$landgo" man "$tree/share/man/man1"
"$landgo" completion bash >"$tree/share/bash-completion/completions/landgo"
"$landgo" completion zsh >"$tree/share/zsh/site-functions/_landgo"
"$landgo" completion fish >"$tree/share/fish/vendor_completions.d/landgo.fish"
"$landgo" header >"$tree/share/landgo/landgo.h"
"$landgo" header --linux >"$tree/share/landgo/landgo-linux.h"

for kind in "" -fixed; do # two threads, and an update that is lost
	gcc -g -O1 -static -pthread -Wl,--build-id=none -ffile-prefix-map="$top"=. ${kind:+-DFIXED} guests/linux/lost_update.c \
		-o "$tree/share/landgo/demo/lost_update$kind"
done
cp guests/linux/lost_update.c "$tree/share/landgo/demo/"

doc=$tree/share/doc/landgo
cp LICENSE README.md CHANGELOG.md "$doc/"
cp -r docs "$doc/"
unicorn=$(strings -a "$archive" | sed -n 's/^.*unicorn-\([0-9][0-9.]*[0-9]\).*$/\1/p' | head -n 1)
cat >"$doc/SOURCES" <<EOF
landgo $version is free software under the terms of the GNU General Public License,
version 2; LICENSE is its text. Its sources are in landgo-$version.tar.gz beside
this file, with the script that made this archive (make dist).

landgo-engine holds, linked statically, two more works:
- the Unicorn CPU emulator${unicorn:+ $unicorn} (GPL version 2), https://www.unicorn-engine.org:
  on Debian, apt-get source unicorn-engine
- the GNU C library (LGPL version 2.1 or later), https://www.gnu.org/software/libc:
  on Debian, apt-get source glibc
landgo and landgo-class hold the Go library (BSD) and the Go modules that go.mod in
the sources names. To link another version of one of them, change it there, or
install it, and run make dist.
EOF
sources=$doc/landgo-$version.tar.gz
if git rev-parse HEAD >/dev/null 2>&1; then
	[ -z "$(git status --porcelain)" ] || echo "dist: the tree has changes that aren't committed: the sources in the archive are those of the commit" >&2
	git archive --format=tar --prefix="landgo-$version/" HEAD | gzip -9n >"$sources"
else
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --exclude=./bin --exclude=./.deps \
		--transform "s#^\.#landgo-$version#" -cf - . | gzip -9n >"$sources"
fi
find "$tree" -type d -exec chmod 755 {} +

# ---- the archive -----------------------------------------------------------

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$out" -cf - "$name" |
	gzip -9n >"$out/$name.tar.gz"

# ---- the Debian package ----------------------------------------------------

if command -v dpkg-deb >/dev/null 2>&1; then
	# A version of Debian's begins with a digit; what comes after a tag is later than it.
	case $version in
	v[0-9]*.* | [0-9]*.*) deb=$(echo "${version#v}" | sed 's/-\([0-9]*\)-g/+\1.g/; s/-/./g') ;;
	*) deb=0.0~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$(echo "$version" | sed 's/-/./g') ;;
	esac
	root=$out/deb
	mkdir -p "$root/DEBIAN" "$root/usr"
	cp -r "$tree/bin" "$tree/libexec" "$tree/share" "$root/usr/"
	mkdir -p "$root/usr/share/zsh/vendor-completions"
	mv "$root/usr/share/zsh/site-functions/_landgo" "$root/usr/share/zsh/vendor-completions/"
	rmdir "$root/usr/share/zsh/site-functions"
	gzip -9n "$root"/usr/share/man/man1/*.1
	gzip -9nc CHANGELOG.md >"$root/usr/share/doc/landgo/changelog.gz"
	rm "$root/usr/share/doc/landgo/CHANGELOG.md"
	mv "$root/usr/share/doc/landgo/SOURCES" "$root/usr/share/doc/landgo/copyright"
	rm "$root/usr/share/doc/landgo/LICENSE"
	echo "
The license is in /usr/share/common-licenses/GPL-2." >>"$root/usr/share/doc/landgo/copyright"
	find "$root/usr" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	(cd "$root" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
	cat >"$root/DEBIAN/control" <<EOF
Package: landgo
Version: $deb
Architecture: amd64
Maintainer: landgo <landgo@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Recommends: gcc, libc6-dev
Suggests: gdb
Section: devel
Priority: optional
Description: model checker for multithreaded programs
 landgo runs a compiled x86-64 or i386 program many times, once for every way in
 which its threads can interleave that could make a difference. It finds the bugs
 that show in some of them, with the interleaving, or says that there is none.
EOF
	touch -d "@$SOURCE_DATE_EPOCH" "$root/DEBIAN/control" "$root/DEBIAN/md5sums" "$root/DEBIAN"
	dpkg-deb --root-owner-group -Zxz --build "$root" "$out/landgo_${deb}_amd64.deb" >/dev/null
	rm -rf "$root"
else
	echo "dist: no dpkg-deb here, so no Debian package" >&2
fi
rm -rf "$tree"
(cd "$out" && sha256sum landgo*)
