#!/bin/sh
# Installs the needs of building landgo and its guests: Go, gcc, libunicorn
# (library and headers) and musl-gcc. Does nothing, without the network, when
# all is there; asks nothing.
#
# libunicorn is wanted in version 2.1, which follows page tables; 2.0.1 does for
# all else. Where the system's is older, and for Go where the system's is too old,
# Debian's newer package is unpacked into .deps/, and nothing of it is installed.
# The rest, the ways in order: apt-get as root; apt-get through sudo, if that
# needs no password; the packages unpacked into .deps/. Where none works, or on
# another system, it prints the command to paste and exits 1.
#
# With --paging it fails where libunicorn 2.1 can't be had.

set -u
cd "$(dirname "$0")/../.." || exit 1
deps=$(pwd)/.deps
. ./internal/setup/env.sh

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 1
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$deps/apt"' EXIT
trap 'exit 1' INT TERM

. ./internal/setup/probe.sh
. ./internal/setup/apt.sh

# ---- Go and gcc ------------------------------------------------------------

check_go() {
	go_want=$(sed -n 's/^go //p' go.mod)
	probe_go
	[ "$go_state" != ok ] || return
	if unpack_go; then
		. ./internal/setup/env.sh
		probe_go
		[ "$go_state" != ok ] || return
	fi
	case $(uname -s)-$(uname -m) in
	Linux-x86_64) get="mkdir -p .deps && curl -L https://go.dev/dl/go$go_want.linux-amd64.tar.gz | tar -C .deps -xz" ;;
	*) get="get it from https://go.dev/dl, and put its bin folder on PATH" ;;
	esac
	die "$go_state: landgo needs $go_want or newer. This gets it, here: $get"
}

check_cc() {
	if ! command -v gcc >/dev/null 2>&1; then
		packages="gcc libc6-dev"
		install_packages && command -v gcc >/dev/null 2>&1 ||
			die "there is no C compiler: install gcc with its C library headers ($(paste_command gcc))"
	fi
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
# are there. A bare system has no certificates to know their server by.
check_modules() {
	go mod download >"$scratch/err" 2>&1 && return
	if grep -q 'x509: certificate signed by unknown authority' "$scratch/err" && [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
		packages=ca-certificates
		install_packages || unpack_packages
		. ./internal/setup/env.sh
		go mod download >"$scratch/err" 2>&1 && return
	fi
	die "Go modules can't be downloaded: run 'go mod download' here with the network on; it says: $(first_line "$scratch/err")"
}

# ---- libunicorn and musl ---------------------------------------------------

# A failure to get 2.1 is remembered for an hour, so that not every make waits for
# a network that isn't there.
failed=$deps/no-unicorn-2.1

# want_paging gets a libunicorn 2.1 from elsewhere, where the system's own packages
# have none. It sets why it can't.
want_paging() {
	probe_unicorn
	[ "$unicorn_paging" != yes ] || return
	next_release || return
	[ -z "$strict" ] || rm -f "$failed"
	if [ -n "$(find "$failed" -mmin -60 2>/dev/null)" ]; then
		why=$(cat "$failed")
		return
	fi
	if unpack_unicorn; then
		rm -f "$failed"
		return
	fi
	mkdir -p "$deps" && printf '%s\n' "$why" >"$failed"
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

# paste_command is the command that installs the missing packages on this system.
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

strict=
[ "${1:-}" != --paging ] || strict=yes

check_go
check_cc
check_m32
why="this system has no newer one"
want_paging
probe || install_packages
probe || unpack_packages
if probe; then
	if [ "$unicorn_paging" != yes ]; then
		[ -z "$strict" ] ||
			die "no libunicorn 2.1 can be had here ($why): kernels whose addresses aren't their memory's end as invalid (docs/installing.md says how to build one)"
		say "going on with libunicorn $unicorn_version, for 2.1 can't be had ($why): tests of page tables, user programs, Pintos and xv6 are left out"
	fi
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
