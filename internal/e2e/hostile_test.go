package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
)

// Guests and bug files may come from anywhere: their contents read no file of
// the host's and set no limit.

// hostileSource has a lost update whose lines are, as the line table has it, of a
// file outside of all folders that are looked at.
const hostileSource = `#include <assert.h>
#include <pthread.h>
static int x;
static void *f(void *a) {
#line 1 "NAME"
 int t = x; x = t + 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,f,0); pthread_create(&b,0,f,0); pthread_join(a,0); pthread_join(b,0); assert(x == 2); }
`

func buildC(t *testing.T, dir, name, text string) string {
	t.Helper()
	src, out := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-O1", "-g", "-static", "-pthread", "-o", out, src)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	return out
}

// TestSourcesOutside: a report quotes no line of a file that lies outside of the
// guest's folder, the working directory and those of --source.
func TestSourcesOutside(t *testing.T) {
	top := t.TempDir()
	lab, sub := filepath.Join(top, "lab"), filepath.Join(top, "lab", "sub")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	canary := filepath.Join(top, "canary.txt")
	const secret = "CANARY"
	if err := os.WriteFile(canary, []byte(strings.Repeat(secret+"\n", 9)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(canary, filepath.Join(lab, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for name, quoted := range map[string]string{
		"../canary.txt": "", "../../canary.txt": "", "sub/../../canary.txt": "", canary: "", "link.txt": "",
		// Requested files are quoted.
		"inside.txt": "INSIDE",
	} {
		if err := os.WriteFile(filepath.Join(lab, "inside.txt"), []byte("INSIDE\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		path := buildC(t, lab, "leak", strings.Replace(hostileSource, "NAME", name, 1))
		for _, dir := range []string{lab, sub} {
			bug := filepath.Join(dir, "leak.landgo")
			for _, args := range [][]string{{"run", "--out", bug, path}, {"run", "--json", "--out", bug, path}, {"replay", bug}, {"inspect", path}} {
				cmd := command(t, args...)
				cmd.Dir = dir
				e := finish(t, cmd)
				if strings.Contains(e.stdout+e.stderr, secret) {
					t.Errorf("%s, %v in %s: the report quotes the canary:\n%s", name, args, dir, e.stdout)
				}
				if args[0] == "run" && args[1] != "--json" && !strings.Contains(e.stdout, quoted) {
					t.Errorf("%s, %v in %s: the source isn't quoted:\n%s", name, args, dir, e.stdout)
				}
			}
		}
	}
	path := buildC(t, lab, "leak", strings.Replace(hostileSource, "NAME", "canary.txt", 1))
	if e := run(t, "run", "--out", "none", "--source", top, path); !strings.Contains(e.stdout, secret) {
		t.Errorf("--source doesn't reach:\n%s", e.stdout)
	}
}

// TestHostileBugFile: a bug file's limits are ignored, and a file of the host
// that it names isn't read. A guest that it names is the one with its digest or
// none.
func TestHostileBugFile(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(hostileSource, "NAME", "leak.c", 1)
	path := buildC(t, dir, "leak", text)
	in := filepath.Join(dir, "in.txt")
	if err := os.WriteFile(in, []byte("input"), 0o644); err != nil {
		t.Fatal(err)
	}
	bug := filepath.Join(dir, "leak.landgo")
	if r := run(t, "run", "--json", "--stdin", in, "--file", in+":/data", "--out", bug, path).decode(t); r.Bug == nil {
		t.Fatalf("no bug: %s", r.Reason)
	}
	whole, err := os.ReadFile(bug)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(whole), in) {
		t.Errorf("the bug file names %s:\n%s", in, whole)
	}
	// The file has the guest's input.
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	if e := run(t, "replay", bug); e.status != result.ExitBug {
		t.Errorf("replay without the input's file: exit %d\n%s%s", e.status, e.stdout, e.stderr)
	}

	secret := filepath.Join(dir, "secret.elf")
	if err := os.WriteFile(secret, []byte("\x7fELF not for you"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		edit func(file, config map[string]any)
		kind result.ErrorKind // "": it replays
	}{
		"limits":                {func(_, c map[string]any) { c["step_budget"], c["max_threads"], c["max_output"] = 1e18, 1e9, "1000T" }, ""},
		"limits of nothing":     {func(_, c map[string]any) { c["step_budget"], c["max_threads"] = 0, -1 }, ""},
		"limits that are text":  {func(_, c map[string]any) { c["step_budget"] = []string{"x"} }, ""},
		"input from a path":     {func(_, c map[string]any) { c["stdin"] = secret }, result.BadBugFile},
		"a file from a path":    {func(_, c map[string]any) { c["files"] = []any{map[string]any{"host": secret, "guest": "/data"}} }, result.OtherConfig},
		"no input":              {func(_, c map[string]any) { c["stdin"] = map[string]any{"left_out": true} }, result.Usage},
		"output to a path":      {func(_, c map[string]any) { c["Out"], c["Checkpoint"], c["Snapshot"] = secret, secret, secret }, ""},
		"another guest":         {func(f, _ map[string]any) { f["guest"].(map[string]any)["path"] = secret }, result.OtherImage},
		"a device as the guest": {func(f, _ map[string]any) { f["guest"].(map[string]any)["path"] = "/dev/zero" }, result.Unreadable},
		"deep nesting": {func(_, c map[string]any) {
			c["rules"] = json.RawMessage(strings.Repeat("[", 9000) + strings.Repeat("]", 9000))
		}, result.BadBugFile},
		"a point of escapes": {func(_, c map[string]any) { c["rules"] = []any{map[string]any{"function": "\x1b[2J"}} }, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			var file map[string]any
			if err := json.Unmarshal(whole, &file); err != nil {
				t.Fatal(err)
			}
			c.edit(file, file["config"].(map[string]any))
			text, err := json.Marshal(file)
			if err != nil {
				t.Fatal(err)
			}
			hostile := filepath.Join(dir, "hostile.landgo")
			if err := os.WriteFile(hostile, text, 0o644); err != nil {
				t.Fatal(err)
			}
			e := run(t, "replay", hostile)
			switch c.kind {
			case "":
				if e.status != result.ExitBug {
					t.Errorf("exit %d\n%s%s", e.status, e.stdout, e.stderr)
				}
			case "invalid":
				if e.status != result.ExitInvalid && e.status != result.ExitUsage {
					t.Errorf("exit %d\n%s%s", e.status, e.stdout, e.stderr)
				}
			default:
				e.complains(t, c.kind)
			}
			if strings.ContainsAny(e.stdout+e.stderr, "\x1b") {
				t.Errorf("an escape: %q %q", e.stdout, e.stderr)
			}
			if now, err := os.ReadFile(secret); err != nil || string(now) != "\x7fELF not for you" {
				t.Errorf("the secret now holds %q, %v", now, err)
			}
		})
	}
}
