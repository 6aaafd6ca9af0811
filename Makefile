# landgo: `make demo` shows it at work, `make test` checks it. Both install what
# is missing first (internal/setup/setup.sh). `make help` lists the rest.

SHELL   := /bin/bash
ENV     := . internal/setup/env.sh &&
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
PREFIX  ?= /usr/local
# A package that hangs is ended then; a slow machine needs twice the usual time. The tests'
# programs need no debug information, and make vet has looked at them. No result is taken from
# an earlier run: e2e builds landgo itself, and go doesn't see that it depends on its sources.
TESTFLAGS ?= -count=1 -timeout 40m -vet=off -ldflags=-w
# These take longest: they begin first, so that no processor idles at the end.
LONGEST := ./internal/explore ./internal/e2e ./por

# A commit's tests have an eighth of the rows that each take a program, the next commit's another
# (internal/part). make test PART= has them all.
PART ?= $(shell echo $$(($$(git rev-list --count HEAD 2>/dev/null || echo 0) % 8 + 1)))/8

# Compilers, tests and checkers allocate much, and end soon: up to a quarter of their time was
# the collector's.
SPARING = GOGC=400 GOMEMLIMIT=3GiB

.PHONY: help setup paging build runner landgo guests shared test vet fmt demo bench profile papers pictures film study soak fuzz cover install dist clean

help:
	@sed -n 's/^## //p' Makefile

## make setup    install what is missing: Go, gcc, libunicorn (2.1, if it can be had) and musl-gcc
setup:
	@internal/setup/setup.sh

## make paging   the same, and fail where libunicorn 2.1 can't be had
paging:
	@internal/setup/setup.sh --paging

## make build    bin/landgo, bin/landgo-engine, bin/landgo-class and the guests under bin/guests
build: landgo guests

# Front and engine are of one build, or they don't work together.
BUILD = -buildvcs=false -ldflags '-X main.version=$(VERSION)'
# The compiler arranges the engine by where searches spend their time (make profile).
ENGINE = -buildvcs=false -pgo=cmd/landgo-engine/engine.pgo -ldflags '-X main.version=$(VERSION) -extld "$(CURDIR)/internal/setup/link.sh"'
runner: setup
	@echo "building landgo: a minute the first time"
	$(ENV) $(SPARING) CGO_ENABLED=0 go build $(BUILD) -o bin/landgo ./cmd/landgo
	$(ENV) $(SPARING) go build $(ENGINE) -o bin/landgo-engine ./cmd/landgo-engine

# Only classes are graded by the third program.
landgo: runner
	$(ENV) $(SPARING) CGO_ENABLED=0 go build $(BUILD) -o bin/landgo-class ./cmd/landgo-class

# Without a -j of the caller's: as many jobs as there are processors.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
SUBMAKE = $(ENV) $(MAKE) $(JOBS) -s -C

guests: shared
	@echo "building the guests for Linux: a thousand programs, minutes the first time"
	$(SUBMAKE) guests

# Those whose objects are built once for many.
shared: setup
	@echo "building the guests for pebbles and the kernels: half a minute the first time"
	$(SUBMAKE) guests/pebbles all abi
	$(SUBMAKE) guests/pebbles MACHINE=i386 all abi
	$(SUBMAKE) guests/kernel
	$(SUBMAKE) guests/kernel MACHINE=i386

# The tests build landgo themselves (internal/e2e), and those guests for Linux that they have in
# their turn (internal/compile).
## make test     builds, and runs the tests; at its end, what was skipped. Of the rows that take a program
##               of their own, an eighth runs, another with the next commit; make test PART= runs all
test: shared fmt
	$(ENV) set -o pipefail; $(SPARING) LANDGO_PART=$(PART) go test -json $(TESTFLAGS) $(LONGEST) ./... | go run -buildvcs=false ./internal/skips

# go vet and staticcheck keep what they found of sources that stay as they are; deadcode
# keeps nothing, and takes 20 seconds of a processor. It isn't asked again where no source and
# no folder is newer than this.
LIVE = bin/.live

## make vet      go vet, staticcheck, and what no program or test calls: three minutes the first time
vet: setup
	$(ENV) go vet ./...
	$(ENV) $(SPARING) go run honnef.co/go/tools/cmd/staticcheck ./...
	@[ -e $(LIVE) ] && [ -z "$$(find . -mindepth 1 -name '.?*' -prune -o -path ./bin -prune -o \( -type d -o -name '*.go' -o -name 'go.*' \) -newer $(LIVE) -print -quit)" ] || { \
		$(ENV) mkdir -p bin; touch $(LIVE).now; dead=$$($(SPARING) go run golang.org/x/tools/cmd/deadcode -test ./...) && [ -z "$$dead" ] || { echo "$$dead"; exit 1; }; \
		mv $(LIVE).now $(LIVE); }

fmt:
	@$(ENV) out=$$(find . -name '.?*' -prune -o -name '*.go' -print0 | xargs -0 gofmt -l); \
	if [ -n "$$out" ]; then echo "not gofmt-ed: $$out"; exit 1; fi

## make demo     three bugs found, explained, replayed, and their cures verified
demo: runner
	@echo "building the programs that are shown"
	@$(SUBMAKE) guests $(addprefix ../bin/guests/,glibc-O1/lost_update glibc-O1/lost_update-fixed)
	@$(SUBMAKE) guests/pebbles $(addprefix ../../bin/guests/pebbles/,spin-cond_lost_wakeup-cond spin-cond)
	@internal/setup/demo.sh

## make bench    the speed table, counts checked: median of RUNS (default 5)
RUNS ?= 5
bench: build
	$(ENV) go run -buildvcs=false ./internal/bench -runs $(RUNS) $(BENCHFLAGS)

## make profile  cmd/landgo-engine/engine.pgo, by which the compiler arranges the engine: two
##               minutes, after changes to where searches spend their time
profile: build
	rm -rf bin/profile && mkdir -p bin/profile && cp bin/landgo bin/landgo-class bin/profile/
	$(ENV) go build -tags profile -buildvcs=false -ldflags '-X main.version=$(VERSION) -X "main.profiles=$(CURDIR)/bin/profile" -extld "$(CURDIR)/internal/setup/link.sh"' -o bin/profile/landgo-engine ./cmd/landgo-engine
	$(ENV) go run -buildvcs=false ./internal/bench -profile bin/profile

## make pictures docs/pictures: pages as chromium shows them
pictures: build
	internal/setup/pictures.sh docs/pictures

## make film     docs/pictures: a session in an editor (needs code-server and puppeteer-core, see internal/setup/film.sh)
film: build
	internal/setup/film.sh docs/pictures

## make papers   the papers' experiments: writes docs/papers.md, and all tables to
##               internal/papers/tables (a quarter of an hour)
papers: build
	$(ENV) go run -buildvcs=false ./internal/papers $(PAPERSFLAGS)

## make study    deepening against the other searches, on mutants: writes docs/quicksand.md, and all tables to
##               bin/quicksand.md (ten minutes; half of it with STUDYFLAGS="-jobs 2")
study: build
	$(ENV) go run -buildvcs=false ./internal/study $(STUDYFLAGS)

## make soak     the searches on SOAK random model programs (a million: more than an hour), with fresh seeds.
##               SOAK_GUESTS random C programs, and every guest of the tests in every build.
##               SOAK_OUTSIDE programs rich in libc, against libc's own code too, and SOAK_RUNS runs of each here.
##               SOAK_TSO random programs for the theorem on triangular races; SOAK_BUFFERS with store buffers.
##               SOAK_LITMUS runs of each litmus test on this machine.
##               A class of SOAK_GRADE students, tests and kills; SOAK_FILES broken files.
##               The pure packages under the race detector, and the C part under ASan and UBSan.
##               LANDGO_SOAK_SEARCHES=trust,rounder for those searches alone, on the model programs.
SOAK ?= 1000000
SOAK_GUESTS ?= 600
SOAK_OUTSIDE ?= 1000
SOAK_RUNS ?= 300
SOAK_TSO ?= 100000
SOAK_LITMUS ?= 1000000
SOAK_BUFFERS ?= 10000
SOAK_FILES ?= 100000
SOAK_GRADE ?= 300x6x200
# Of the C in emu: the kernel's reservation of the guest's space is no leak.
# Undefined behaviour in C ends the test.
SANITIZE = CGO_CFLAGS="$${CGO_CFLAGS:--g -O2} -fsanitize=undefined -fno-sanitize-recover=undefined" \
	CGO_LDFLAGS="$${CGO_LDFLAGS:--g -O2} -fsanitize=undefined" ASAN_OPTIONS=detect_leaks=0
soak: setup
	$(ENV) LANDGO_SOAK=$(SOAK) go test -count=1 -timeout 0 -v -run 'TestSoak|TestAnchors$$' ./por
	$(ENV) LANDGO_SOAK_GUESTS=$(SOAK_GUESTS) go test -count=1 -timeout 0 -v -run 'TestRandomPrograms$$|TestRandomSwaps$$' ./internal/explore
	$(ENV) LANDGO_SOAK_OUTSIDE=$(SOAK_OUTSIDE) LANDGO_SOAK_RUNS=$(SOAK_RUNS) go test -count=1 -timeout 0 -v -run 'TestOutside$$' ./internal/explore
	$(ENV) LANDGO_SOAK_TSO=$(SOAK_TSO) go test -count=1 -timeout 0 -v -run 'TestTriangularTheorem$$' ./race
	$(ENV) LANDGO_SOAK_LITMUS=$(SOAK_LITMUS) go test -count=1 -timeout 0 -v -run 'TestProcessor$$|TestMixedProcessor$$' ./internal/litmus
	$(ENV) LANDGO_SOAK_LITMUS=1 go test -count=1 -timeout 0 -v -run 'TestLitmus$$|TestLitmusMixed$$|TestCureOfLitmus$$' ./internal/explore
	$(ENV) LANDGO_SOAK_BUFFERS=$(SOAK_BUFFERS) go test -count=1 -timeout 0 -v -run 'TestBuffers(Within)?$$|TestFencesForAll$$' ./por
	$(ENV) LANDGO_SOAK=1 go test -count=1 -timeout 0 -run 'TestLinuxGuests|TestBenchRows|TestPaperGuests|TestLibraries|TestKernel|TestSharing|TestNativeMalloc' ./internal/e2e
	$(ENV) LANDGO_SOAK=1 go test -count=1 -timeout 0 ./internal/explore ./internal/image/unwind
	$(ENV) LANDGO_SOAK_GRADE=$(SOAK_GRADE) go test -count=1 -timeout 0 -v -run 'TestSoakGrade$$' ./internal/e2e
	$(ENV) LANDGO_CORRUPT=$(SOAK_FILES) go test -count=1 -timeout 0 -run 'TestCorrupt' ./internal/image ./internal/result ./internal/explore ./internal/e2e
	$(ENV) go test -count=1 -timeout 0 -race ./internal/trace ./internal/image/... ./heap ./race ./por ./internal/result ./internal/report ./internal/format ./internal/deepen
	$(ENV) $(SANITIZE) go test -count=1 -timeout 0 -asan ./emu

## make fuzz     the parsers of untrusted bytes, FUZZ each (default 30s)
FUZZ ?= 30s
fuzz: setup
	$(ENV) for p in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -rn1 dirname | sort -u); do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' $$p/*_test.go); do \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZ) ./$$p || exit 1; \
		done; \
	done

## make cover    test coverage by package, in bin/cover.html
cover: build
	$(ENV) go test $(TESTFLAGS) -coverpkg=./... -coverprofile=bin/cover.out ./...
	$(ENV) go tool cover -html=bin/cover.out -o bin/cover.html
	$(ENV) go tool cover -func=bin/cover.out | tail -n 1

## make install  landgo, its man pages and completions to PREFIX (default /usr/local)
SHARE = $(DESTDIR)$(PREFIX)/share
# The library that set-up unpacked, if it did: landgo looks for it there (internal/setup/env.sh).
UNPACKED = $(firstword $(wildcard .deps/usr/lib/*/libunicorn.so.2))
install: landgo
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
		$(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 bin/landgo $(DESTDIR)$(PREFIX)/bin/landgo
	install -D -m 755 bin/landgo-engine $(DESTDIR)$(PREFIX)/libexec/landgo/landgo-engine
	install -m 755 bin/landgo-class $(DESTDIR)$(PREFIX)/libexec/landgo/landgo-class
	$(if $(UNPACKED),install -D -m 644 $(UNPACKED) $(DESTDIR)$(PREFIX)/lib/landgo/libunicorn.so.2)
	bin/landgo man $(SHARE)/man/man1
	bin/landgo completion bash >$(SHARE)/bash-completion/completions/landgo
	bin/landgo completion zsh >$(SHARE)/zsh/site-functions/_landgo
	bin/landgo completion fish >$(SHARE)/fish/vendor_completions.d/landgo.fish

## make dist     an archive for any x86-64 Linux, and a Debian package, in bin/dist
dist: setup
	@internal/setup/dist.sh $(VERSION)

## make clean    remove what build made
clean:
	rm -rf bin
