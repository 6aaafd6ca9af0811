package explore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/explore/config"
	"landgo/result"
)

// TestObjects: the programs in testdata/objects, each with what a machine shows of it on
// its first line, by reduction; what has no bug by some executions of exhaustive search too. They make objects
// again of memory that had some, wait in unusual ways, and end in unusual ways.
func TestObjects(t *testing.T) {
	files, err := filepath.Glob("testdata/objects/*.c*")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(text))
		if len(words) < 4 || words[1] != "expect:" {
			t.Fatalf("%s doesn't say what to expect", file)
		}
		kind := result.Kind("")
		if words[2] == "bug" {
			kind = result.Kind(words[3])
		}
		compilers := []string{"gcc", "musl-gcc"}
		switch {
		case filepath.Ext(file) == ".cc":
			compilers = []string{"g++"}
		case strings.Contains(string(text), "// only: gcc\n"):
			compilers = compilers[:1]
		}
		for _, cc := range compilers {
			t.Run(filepath.Base(file)+" by "+cc, func(t *testing.T) {
				guest := filepath.Join(t.TempDir(), "guest")
				if msg, err := exec.Command(cc, "-g", "-w", "-O1", "-static", "-pthread", file, "-o", guest).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, msg)
				}
				for search, most := range map[string]uint64{"optimal": 0, "none": 200} {
					if most > 0 && kind != "" {
						continue // the bug may be in a later one
					}
					cfg := config.Default()
					cfg.Guest, cfg.Out, cfg.PP, cfg.Search, cfg.MaxExecutions = guest, config.NoFile, config.PointMem, search, most
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					r.Finish()
					switch {
					case kind == "" && r.Bug != nil:
						t.Errorf("by %s: %s: %s", search, r.Bug.Kind, r.Bug.Message)
					case kind == "" && r.Verdict != result.Verified && search != "none":
						t.Errorf("by %s: %s (%s)", search, r.Verdict, r.Reason)
					case kind != "" && (r.Bug == nil || r.Bug.Kind != kind):
						t.Errorf("by %s: %s (%s): %+v, want %s", search, r.Verdict, r.Reason, r.Bug, kind)
					}
				}
			})
		}
	}
}
