# Sourced by setup.sh: the ways to get Debian's packages.

# ---- installed -------------------------------------------------------------

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
	say "apt-get install failed: $(apt_said)"
	return 1
}

# apt_said is its complaint: a failed fetch explains the rest.
apt_said() {
	grep -E '^(E|W): Failed to fetch' "$scratch/apt" | head -n 1 | grep . ||
		grep -E '^(E|W):' "$scratch/apt" | tail -n 1
}

# ---- unpacked into .deps/ --------------------------------------------------

# unpack_packages downloads the packages and unpacks them: no root, nothing of the
# system changed.
unpack_packages() {
	can_unpack || return 1
	say "no root here: unpacking $packages into .deps/"
	own_apt system apt-get update >>"$scratch/apt" 2>&1
	wanted=
	for p in $packages; do
		case $p in
		libunicorn-dev) wanted="$wanted $(unicorn_packages system)" ;;
		musl-tools) wanted="$wanted musl-dev" ;;
		*) wanted="$wanted $p" ;;
		esac
	done
	unpack system $wanted || {
		say "apt-get download failed: $(apt_said)"
		return 1
	}
	case $packages in *musl*) adapt_musl ;; esac
}

can_unpack() { command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1; }

# own_apt runs an apt command on lists of our own, which an ordinary user may
# update. $1: the file that names the sources, "system" for the system's.
own_apt() {
	sources=$1 command=$2
	shift 2
	mkdir -p "$deps/apt/state/lists/partial" "$deps/apt/cache/archives/partial"
	if [ "$sources" != system ]; then
		set -- -o "Dir::Etc::sourcelist=$sources" -o Dir::Etc::sourceparts=/nonexistent "$@"
	fi
	"$command" -q -o "Dir::State=$deps/apt/state" -o "Dir::Cache=$deps/apt/cache" -o APT::Sandbox::User=root \
		-o Acquire::Languages=none -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@" </dev/null
}

# unicorn_packages names the library's packages: the library's changes its name
# with its soname and between releases; the -dev package knows. $1: as own_apt's.
unicorn_packages() {
	echo libunicorn-dev "$(own_apt "$1" apt-cache show libunicorn-dev 2>/dev/null |
		sed -n 's/^Depends:.*\(libunicorn[0-9][a-z0-9]*\).*/\1/p' | head -n 1)"
}

# unpack downloads packages and unpacks them. $1: as own_apt's.
unpack() {
	from=$1
	shift
	rm -rf "$scratch/deb"
	mkdir "$scratch/deb"
	(cd "$scratch/deb" && own_apt "$from" apt-get download "$@") >>"$scratch/apt" 2>&1 || return 1
	for f in "$scratch"/deb/*.deb; do
		dpkg -x "$f" "$deps" || return 1
	done
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

# ---- from a release that isn't the system's --------------------------------

# release is the name of this Debian; nothing elsewhere.
release() { (. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") 2>/dev/null; }

# mirror is the one that the system's apt uses.
mirror() {
	site=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | sed -n "s/ $(release)\$//p" | head -n 1)
	# Without lists apt knows its targets by no release.
	[ -n "$site" ] || site=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		sed -n '/^#/d; s#.*\(https*://[^ ]*/debian\)/*\( .*\)*$#\1#p' | head -n 1)
	echo "${site:-http://deb.debian.org/debian}"
}

# source_of makes the file that names one release as the only source.
source_of() {
	mkdir -p "$deps/apt"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $1 main" >"$deps/apt/$1.list"
	echo "$deps/apt/$1.list"
}

# next_release sets next to the release whose libunicorn is new enough and runs
# here; fails where there is none.
next_release() {
	case $(release) in
	bookworm) next=trixie ;;
	*) return 1 ;;
	esac
}

# unpack_unicorn unpacks the next release's libunicorn. It sets why it can't.
unpack_unicorn() {
	why="there is no apt-get"
	can_unpack || return 1
	say "unpacking libunicorn of Debian $next from $(mirror) into .deps/"
	list=$(source_of $next)
	: >"$scratch/apt"
	own_apt "$list" apt-get update >>"$scratch/apt" 2>&1
	unpack "$list" $(unicorn_packages "$list") && return
	why=$(apt_said)
	return 1
}

# unpack_go unpacks the newest Go that this release or its backports have.
unpack_go() {
	can_unpack || return 1
	say "$go_state: looking for a newer one among Debian's packages"
	list=system
	[ "$(release)" != bookworm ] || list=$(source_of bookworm-backports)
	own_apt "$list" apt-get update >>"$scratch/apt" 2>&1
	newest=$(own_apt "$list" apt-cache search --names-only '^golang-1\.[0-9]+-go$' 2>/dev/null |
		sed -n 's/^golang-\(1\.[0-9]*\)-go .*/\1/p' | sort -V | tail -n 1)
	[ -n "$newest" ] && at_least "$newest" "${go_want%.*}" || return 1
	say "unpacking Go $newest of $([ "$list" = system ] && echo "this release" || echo "Debian bookworm-backports") into .deps/ (46 MB to load)"
	unpack "$list" "golang-$newest-go" "golang-$newest-src"
}
