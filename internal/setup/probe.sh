# Sourced by setup.sh: finds the installed tools, and whether they do.

# The required version, and why: before 2.0.1 stops inside a memory hook lose
# the program counter; from 2.1 on it follows page tables.
unicorn_least=2.0.1
unicorn_pages=2.1.0

# at_least HAVE WANT compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

first_line() { grep -v '^$' "$1" | head -n 1; }

# probe_go sets go_state to ok, or to the fault.
probe_go() {
	go_state="Go isn't installed"
	command -v go >/dev/null 2>&1 || return
	have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[ -].*//')
	[ -n "$have" ] || have=$(go version | sed 's/^go version go\([0-9.]*\).*/\1/')
	go_state=ok
	at_least "$have" "$go_want" && return
	# From 1.21 on, Go fetches the toolchain that go.mod asks for, if it may.
	if at_least "$have" 1.21 && [ "$(go env GOTOOLCHAIN 2>/dev/null)" != local ] &&
		go version >/dev/null 2>&1; then
		return
	fi
	go_state="Go $have ($(command -v go)) is too old"
}

# probe_unicorn compiles and runs a program with it, as cgo would. It sets
# unicorn_state to ok, missing, or the fault, and unicorn_version, and
# unicorn_paging to yes for one that follows page tables.
probe_unicorn() {
	. ./internal/setup/env.sh
	unicorn_version= unicorn_paging=
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
	read -r headers unicorn_version x86 <"$scratch/out"
	if ! at_least "$unicorn_version" $unicorn_least; then
		unicorn_state="version $unicorn_version is too old"
	elif [ "${headers%.*}" != "${unicorn_version%.*}" ]; then
		unicorn_state="its headers are of version $headers, the library is $unicorn_version"
	elif [ "$x86" != 1 ]; then
		unicorn_state="it was built without x86"
	else
		unicorn_state=ok
		! at_least "$unicorn_version" $unicorn_pages || unicorn_paging=yes
	fi
}

probe_musl() {
	. ./internal/setup/env.sh
	musl_state=missing
	command -v musl-gcc >/dev/null 2>&1 &&
		musl-gcc -static -o "$scratch/m" "$scratch/c.c" 2>/dev/null && musl_state=ok
}
