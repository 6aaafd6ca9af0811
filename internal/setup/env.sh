# Sourced by the Makefile's recipes, and for direct calls of go. Finds Go in its
# usual place and, if setup.sh unpacked packages into .deps/, points PATH and
# cgo there.
#
# Set LANDGO_ROOT to source it from elsewhere than the top of the tree.

landgo_root=${LANDGO_ROOT:-$(pwd)}
landgo_deps=$landgo_root/.deps

# Go: one that is in .deps/ is there because the system's is too old.
for landgo_go in "$landgo_deps/go" "$(find "$landgo_deps/usr/lib" -maxdepth 1 -name 'go-*' 2>/dev/null | sort -V | tail -n 1)"; do
	if [ -n "$landgo_go" ] && [ -x "$landgo_go/bin/go" ]; then # else /bin/go
		PATH=$landgo_go/bin:$PATH
	fi
done
if ! command -v go >/dev/null 2>&1 && [ -x /usr/local/go/bin/go ]; then
	PATH=$PATH:/usr/local/go/bin
fi

# The certificates by which Go knows the server of its modules.
if [ -d "$landgo_deps/usr/share/ca-certificates/mozilla" ]; then
	export SSL_CERT_DIR="${SSL_CERT_DIR:-$landgo_deps/usr/share/ca-certificates/mozilla}"
fi

# The other paths are where `make install` puts the library.
if [ -f "$landgo_deps/usr/include/unicorn/unicorn.h" ]; then
	landgo_lib=$(dirname "$(find "$landgo_deps/usr/lib" -name libunicorn.so | head -n 1)")
	# The quotes are cgo's: a path may have spaces.
	CGO_CFLAGS="${CGO_CFLAGS:--g -O2} '-I$landgo_deps/usr/include'"
	CGO_LDFLAGS="${CGO_LDFLAGS:--g -O2} '-L$landgo_lib' '-Wl,-rpath,$landgo_lib' '-Wl,-rpath,\$ORIGIN/../lib/landgo' '-Wl,-rpath,\$ORIGIN/../../lib/landgo'"
	export CGO_CFLAGS CGO_LDFLAGS
fi

if [ -x "$landgo_deps/bin/musl-gcc" ]; then
	PATH=$landgo_deps/bin:$PATH
fi
export PATH

# landgo's front is built without cgo, the engine and the tests with it. With these tags Go's
# net is the same in both, so that it is compiled once, and all that imports it. The user's own
# flags stay.
if command -v go >/dev/null 2>&1; then
	landgo_flags=$(go env GOFLAGS 2>/dev/null) || :
	case $landgo_flags in
	*-tags*) ;;
	*) export GOFLAGS="${landgo_flags:+$landgo_flags }-tags=netgo,osusergo" ;;
	esac
fi
