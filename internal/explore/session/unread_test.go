package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// TestUnreadDebug: a program whose debug information isn't all there says so, and what to do.
func TestUnreadDebug(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.WriteFile(link, []byte("common.debug\x00\x01\x02\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	const source = "#include <pthread.h>\nint main(void) { pthread_t t = 0; (void)t; return 0; }\n"
	whole := compile.Text(t, "gcc", source, compile.Dynamic, "-Wl,--build-id=0xabcdef0123456789")
	objcopy := func(name string, flags ...string) string {
		out := filepath.Join(dir, name)
		if said, err := exec.Command("objcopy", append(flags, whole, out)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return out
	}
	for _, c := range []struct{ name, guest, want string }{
		{"all there", whole, ""},
		{"dwz", objcopy("dwz", "--add-section", ".gnu_debugaltlink="+link), "leave dwz out"},
		{"stripped", objcopy("stripped", "--strip-all"), "/usr/lib/debug/.build-id/ab/cdef0123456789.debug"},
		{"no build-id", objcopy("nameless", "--strip-all", "--remove-section", ".note.gnu.build-id"), ""},
	} {
		cfg := config.Default()
		cfg.Guest = c.guest
		s, err := Read(cfg, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if notes := strings.Join(s.Notes, "; "); c.want == "" && notes != "" || !strings.Contains(notes, c.want) || len(s.Notes) > 1 {
			t.Errorf("%s: %q, want %q", c.name, s.Notes, c.want)
		}
	}
}
