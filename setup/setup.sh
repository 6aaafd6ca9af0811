#!/bin/sh
# Installs what building landgo and its guests needs beyond Go and a C
# compiler: libunicorn (library and headers) and musl-gcc. Does nothing, without
# the network, when all is there; asks nothing.
#
# The ways, in order: apt-get as root; apt-get through sudo, if that needs no
# password; the packages unpacked into .deps/ without installing them. Where
# none works, or on another system, it prints the command to paste and exits 1.
#
# With --paging it sees to it that the libunicorn is one that follows page tables
# (2.1), which kernels need whose addresses aren't their memory's. Where the
# system's is older, the next Debian release's is unpacked into .deps/, from the
# mirror that apt uses, and nothing of it is installed.

set -u
cd "$(dirname "$0")/.." || exit 1
top=$(pwd)
deps=$top/.deps
. ./setup/env.sh

# What landgo asks for, and why: before 2.0.1 stops inside a memory hook lose
# the program counter.
unicorn_least=2.0.1
[ "${1:-}" != --paging ] || unicorn_least=2.1.0

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 1
}

# at_least HAVE WANT compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

# ---- what is there ---------------------------------------------------------

check_go() {
	want=$(sed -n 's/^go //p' go.mod)
	command -v go >/dev/null 2>&1 ||
		die "Go isn't installed: get Go $want or newer from go.dev/dl and put its bin folder on PATH"
	have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[ -].*//')
	[ -n "$have" ] || have=$(go version | sed 's/^go version go\([0-9.]*\).*/\1/')
	at_least "$have" "$want" && return
	# From 1.21 on, Go fetches the toolchain that go.mod asks for, if it may.
	if at_least "$have" 1.21 && [ "$(go env GOTOOLCHAIN 2>/dev/null)" != local ] &&
		go version >/dev/null 2>&1; then
		return
	fi
	die "Go $have ($(command -v go)) is too old: landgo needs $want or newer, from go.dev/dl"
}

check_cc() {
	command -v gcc >/dev/null 2>&1 ||
		die "there is no C compiler: install gcc with its C library headers ($(paste_command gcc))"
	echo 'int main(void) { return 0; }' >"$scratch/c.c"
	gcc -o "$scratch/c" "$scratch/c.c" 2>"$scratch/err" ||
		die "gcc can't build a program: install the C library headers ($(paste_command gcc)); it says: $(first_line "$scratch/err")"
}

# check_m32 tells of a gcc that makes no programs for i386. Guests for i386 use
# no headers and no libraries, so gcc's own -m32 is all that they need; without
# it everything else is built and tested.
check_m32() {
	printf 'void _start(void) { for (;;); }\n' >"$scratch/m.c"
	gcc -m32 -ffreestanding -nostdlib -static -o "$scratch/m" "$scratch/m.c" 2>"$scratch/err" ||
		say "gcc -m32 doesn't work here, so the guests for i386 are left out; it says: $(first_line "$scratch/err")"
}

# check_modules fetches the Go modules of go.sum; without the network where they
# are there.
check_modules() {
	go mod download >"$scratch/err" 2>&1 ||
		die "Go modules can't be downloaded: run 'go mod download' here with the network on; it says: $(first_line "$scratch/err")"
}

first_line() { grep -v '^$' "$1" | head -n 1; }

# probe_unicorn compiles and runs a program with it, as cgo would. It sets
# unicorn_state to ok, missing, or to what is wrong with it.
probe_unicorn() {
	. ./setup/env.sh
	cat >"$scratch/u.c" <<-'C'
		#include <stdio.h>
		#include <unicorn/unicorn.h>
		int main(void) {
			unsigned major, minor;
			unsigned v = uc_version(&major, &minor);
			printf("%d.%d.%d %u.%u.%u %d\n", UC_API_MAJOR, UC_API_MINOR, UC_API_PATCH,
				v >> 24, v >> 16 & 255, v >> 8 & 255, uc_arch_supported(UC_ARCH_X86));
			return 0;
		}
	C
	# eval: the flags carry quotes for paths with spaces.
	if ! eval "gcc ${CGO_CFLAGS:-} -o '$scratch/u' '$scratch/u.c' ${CGO_LDFLAGS:-} -lunicorn" 2>"$scratch/err"; then
		unicorn_state=missing
		return
	fi
	if ! "$scratch/u" >"$scratch/out" 2>"$scratch/err"; then
		unicorn_state="it builds but doesn't run: $(first_line "$scratch/err")"
		return
	fi
	read -r headers library x86 <"$scratch/out"
	if ! at_least "$library" $unicorn_least; then
		unicorn_state="version $library is too old"
	elif [ "${headers%.*}" != "${library%.*}" ]; then
		unicorn_state="its headers are of version $headers, the library is $library"
	elif [ "$x86" != 1 ]; then
		unicorn_state="it was built without x86"
	else
		unicorn_state=ok
	fi
}

probe_musl() {
	. ./setup/env.sh
	musl_state=missing
	command -v musl-gcc >/dev/null 2>&1 &&
		musl-gcc -static -o "$scratch/m" "$scratch/c.c" 2>/dev/null && musl_state=ok
}

probe() {
	probe_unicorn
	probe_musl
	packages=
	[ "$unicorn_state" = ok ] || packages="libunicorn-dev"
	[ "$musl_state" = ok ] || packages="$packages musl-tools"
	packages=${packages# }
	[ -z "$packages" ]
}

# ---- the ways to get it ----------------------------------------------------

# as_root runs a command as root, or fails.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -n "$@"
	else
		return 1
	fi
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
		apt-get -y -q -o DPkg::Lock::Timeout=120 "$@" </dev/null >>"$scratch/apt" 2>&1
}

# install_packages tries with the lists that are there, then with new ones. A
# failing update doesn't end it: one unreachable source needn't be ours.
install_packages() {
	command -v apt-get >/dev/null 2>&1 || return 1
	as_root true 2>/dev/null || return 1
	say "installing $packages"
	known=$(apt-cache show $packages 2>/dev/null | grep -c '^Package:')
	if [ "$known" -gt 0 ]; then
		apt install --no-install-recommends $packages && return
	fi
	apt update
	apt install --no-install-recommends $packages && return
	say "apt-get install failed: $(grep -E '^(E|W):' "$scratch/apt" | tail -n 1)"
	return 1
}

# own_apt runs an apt command on lists of our own, which an ordinary user may
# update.
own_apt() {
	command=$1
	shift
	mkdir -p "$deps/apt/state/lists/partial" "$deps/apt/cache/archives/partial"
	"$command" -q -o "Dir::State=$deps/apt/state" -o "Dir::Cache=$deps/apt/cache" \
		-o APT::Sandbox::User=root "$@" </dev/null
}

# unpack_packages downloads the packages and unpacks them into .deps/: no root,
# nothing of the system changed.
unpack_packages() {
	command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || return 1
	say "no root here: unpacking $packages into .deps/"
	own_apt apt-get update >>"$scratch/apt" 2>&1
	wanted=
	for p in $packages; do
		case $p in
		# The library's package changes its name with its soname and between
		# releases; the -dev package knows.
		libunicorn-dev) wanted="$wanted $p $(own_apt apt-cache show $p 2>/dev/null |
			sed -n 's/^Depends:.*\(libunicorn[0-9][a-z0-9]*\).*/\1/p' | head -n 1)" ;;
		musl-tools) wanted="$wanted musl-dev" ;;
		esac
	done
	mkdir "$scratch/deb"
	(cd "$scratch/deb" && own_apt apt-get download $wanted) >>"$scratch/apt" 2>&1 || {
		say "apt-get download failed: $(grep -E '^(E|W):' "$scratch/apt" | tail -n 1)"
		return 1
	}
	for f in "$scratch"/deb/*.deb; do
		dpkg -x "$f" "$deps" || return 1
	done
	[ "$musl_state" = ok ] || adapt_musl
	rm -rf "$deps/apt"
}

# adapt_musl makes a musl-gcc of the unpacked musl-dev: its specs file names
# the folders under /usr, where it isn't.
adapt_musl() {
	specs=$(find "$deps/usr/lib" -name musl-gcc.specs | head -n 1)
	[ -n "$specs" ] || return 1
	mkdir -p "$deps/bin"
	sed "s#/usr/\(include\|lib\)/#$deps/usr/\1/#g" "$specs" >"$deps/bin/musl-gcc.specs"
	printf '#!/bin/sh\nexec "${REALGCC:-gcc}" "$@" -specs "%s"\n' "$deps/bin/musl-gcc.specs" >"$deps/bin/musl-gcc"
	chmod +x "$deps/bin/musl-gcc"
}

# next_apt is own_apt with the next release as the only source.
next_apt() {
	command=$1
	shift
	own_apt "$command" -o "Dir::Etc::sourcelist=$deps/apt/next.list" -o Dir::Etc::sourceparts=/nonexistent \
		-o Acquire::Languages=none "$@"
}

# unpack_next unpacks the next release's libunicorn into .deps/.
unpack_next() {
	command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || return 1
	case $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null) in
	bookworm) this=bookworm next=trixie ;;
	*) return 1 ;;
	esac
	mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | sed -n "s/ $this\$//p" | head -n 1)
	[ -n "$mirror" ] || return 1
	say "unpacking libunicorn of Debian $next from $mirror into .deps/"
	mkdir -p "$deps/apt"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $next main" >"$deps/apt/next.list"
	next_apt apt-get update >>"$scratch/apt" 2>&1
	library=$(next_apt apt-cache show libunicorn-dev 2>/dev/null |
		sed -n 's/^Depends:.*\(libunicorn[0-9][a-z0-9]*\).*/\1/p' | head -n 1)
	mkdir "$scratch/next"
	(cd "$scratch/next" && next_apt apt-get download libunicorn-dev "$library") >>"$scratch/apt" 2>&1 || {
		say "apt-get download failed: $(grep -E '^(E|W):' "$scratch/apt" | tail -n 1)"
		return 1
	}
	for f in "$scratch"/next/*.deb; do
		dpkg -x "$f" "$deps" || return 1
	done
	rm -rf "$deps/apt"
}

# paste_command is the command that installs what is missing on this system.
# $1: "gcc" where it is the compiler that is missing.
paste_command() {
	what=${1:-$packages}
	system=$(uname -s)
	if [ "$system" = Darwin ]; then
		echo "brew install unicorn (guests are Linux programs: they need an x86-64 Linux gcc; see docs/installing.md)"
	elif command -v apt-get >/dev/null 2>&1; then
		[ "$what" = gcc ] && what="gcc libc6-dev"
		echo "sudo apt-get update && sudo apt-get install -y $what"
	elif command -v dnf >/dev/null 2>&1; then
		echo "sudo dnf install -y gcc glibc-static unicorn-devel musl-gcc"
	elif command -v pacman >/dev/null 2>&1; then
		echo "sudo pacman -S --needed gcc unicorn musl"
	else
		echo "your system's packages of gcc, libunicorn 2 with its headers, and musl-gcc"
	fi
}

# ---- the order -------------------------------------------------------------

check_go
check_cc
check_m32
if [ $unicorn_least = 2.0.1 ]; then
	probe || install_packages
	probe || unpack_packages
else
	probe || unpack_next
	[ "$unicorn_state" = ok ] || probe_unicorn
	[ "$unicorn_state" = ok ] ||
		die "no libunicorn 2.1 can be had here: kernels whose addresses aren't their memory's end as invalid (docs/installing.md says how to build one)"
fi
if probe; then
	check_modules
	exit 0
fi
case $unicorn_state in
ok | missing) ;;
*) die "Unicorn is unsuitable: $unicorn_state; landgo needs $unicorn_least or newer with its headers (docs/installing.md says how to build it)" ;;
esac
say "missing: $packages. This installs it:"
paste_command
exit 1
