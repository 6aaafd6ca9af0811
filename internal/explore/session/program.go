package session

import (
	"bytes"

	"landgo/internal/explore/config"
	"landgo/internal/image"
	"landgo/internal/image/profile"
)

// sanitizers are the names of those whose code can't be run, by a function that programs
// built with them call.
var sanitizers = []struct{ function, name string }{
	{"__tsan_init", "thread"}, {"__asan_init", "address"}, {"__hwasan_init", "hwaddress"}, {"__msan_init", "memory"}, {"__lsan_init", "leak"},
}

// sanitizer is the name of the one that a guest was built with, "" for none.
func sanitizer(img *image.Image) string {
	for _, s := range sanitizers {
		if _, ok := img.Symbol(s.function); ok {
			return s.name
		}
	}
	return ""
}

// otherRuntime says what is missing for a program whose language has its own scheduler or
// threads, "" for all others.
func otherRuntime(img *image.Image) string {
	for _, section := range []string{".gopclntab", ".note.go.buildid", ".data.rel.ro.gopclntab"} {
		if s, _ := img.Section(section); s != nil {
			return goProgram
		}
	}
	_, comment := img.Section(".comment")
	_, starts := img.Symbol("start.posixCallMainAndExit")
	if _, libc := img.Symbol("pthread_create"); !libc && (starts || bytes.Contains(comment, []byte("zig "))) {
		return "a Zig program without a C library: landgo doesn't know the threads and locks of Zig's std (with -lc -mcpu x86_64 they are the C library's)"
	}
	return ""
}

// Program is a guest that was read, and what is known of it before it runs.
type Program struct {
	Config   config.Config
	Image    *image.Image
	Platform *Platform
	// profile is the profile of the guest's functions, and roles are the roles
	// by it.
	profile *profile.Profile
	builtIn string // landgo's own profile of the guest, by name; "": it has none
	misfit  error  // why that doesn't fit the guest
	roles   map[uint64]profile.Bound
	judged  bool     // see Judged
	Racing  []uint64 // where Config.Races are
	// texts are those of instructions: a step of a kernel's has thousands of
	// accesses, by a few.
	texts map[uint64]string
}

// goProgram is why a program of Go's can't be tested, nor one that would be made of its
// sources.
const goProgram = "a Go program: its goroutines are switched by Go's own scheduler, which landgo doesn't know (go test -race looks for their races)"
