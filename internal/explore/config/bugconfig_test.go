package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestBugFileConfig: what a bug file keeps comes back, and nothing else does: no
// limit, and no file of the host.
func TestBugFileConfig(t *testing.T) {
	dir := t.TempDir()
	in, a, large := filepath.Join(dir, "in.txt"), filepath.Join(dir, "a"), filepath.Join(dir, "large")
	for path, text := range map[string]string{in: "input", a: "\x00\xffa", large: strings.Repeat("x", maxKeptInput)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := set(t, "env A=1", "stdin "+in, "file "+a+":/b", "file "+large+":/large", "pp lock", "within f", "without g", "up",
		"timeouts any", "locks tested=l", "step-budget 9", "max-threads 7", "max-output 5K", "search dpor", "time 5s", "json", "quiet", "out o.landgo")
	c.Args = []string{"-n", "two words"}
	f := &result.BugFile{Guest: result.Guest{Path: "guest.elf"}, Config: c.Saved()}
	if strings.Contains(string(f.Config), dir) {
		t.Errorf("the bug file has a path of the host: %s", f.Config)
	}
	got, err := ConfigOf(f)
	if err != nil {
		t.Fatal(err)
	}
	usual := Default()
	want := c
	want.Search, want.Time, want.Format, want.Quiet, want.Out = "optimal", 0, TextFormat, false, ""
	want.StepBudget, want.MaxThreads, want.MaxOutput = usual.StepBudget, usual.MaxThreads, usual.MaxOutput
	want.Stdin, want.Input = "", []byte("input")
	want.Files = []GuestFile{{Guest: "/b", Content: []byte("\x00\xffa")}, {Guest: "/large", Left: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if check := []byte("image"); got.Check(check) != c.Check(check) {
		t.Error("the check depends on what a bug file hasn't got")
	}

	// The replay's own configuration.
	given := Default()
	if err := got.TakeHost(&given); err == nil || !strings.Contains(err.Error(), "--file HOST:/large") {
		t.Errorf("an input that is missing: %v", err)
	}
	given = set(t, "step-budget 8", "file "+large+":/large", "stdin "+a)
	if err := got.TakeHost(&given); err != nil || got.StepBudget != 8 || got.Stdin != a || got.Input != nil || got.Files[1].Host != large || got.Files[0].Host != "" {
		t.Errorf("%+v, %v", got, err)
	}
	given = set(t, "file "+large+":/other")
	if err := got.TakeHost(&given); err == nil {
		t.Error("a file is taken that the guest wasn't given")
	}
	if got, want := c.ReplayCommand("o.landgo", ""), "landgo replay --file "+large+":/large --step-budget 9 --max-threads 7 --max-output 5K o.landgo"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	for _, text := range []string{`{"pp":"locks"}`, `{"stdin":"/etc/passwd"}`, `{"files":[{"host":"/etc/passwd","guest":5}]}`} {
		f.Config = []byte(text)
		if _, err := ConfigOf(f); !errors.Is(err, result.BadBugFile) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f.Config = []byte(`{"step_budget":1000000000000000000,"max_threads":65536,"max_output":"1T","files":[{"host":"/etc/passwd","guest":"/x"}],
		"profile":{"path":"/etc/passwd","text":"name: x"},"Out":"/tmp/x","Memory":1,"Checkpoint":"/tmp/y","Guest":"/bin/true"}`)
	got, err = ConfigOf(f)
	if err != nil {
		t.Fatal(err)
	}
	want = usual
	want.Deepen, want.Guest = false, "guest.elf"
	want.Files, want.Profile = []GuestFile{{Guest: "/x"}}, &Profile{Path: ".", Text: "name: x"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a hostile file:\ngot  %+v\nwant %+v", got, want)
	}
}
