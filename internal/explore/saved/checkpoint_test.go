package saved

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// small is a checkpoint of a search that has hardly begun.
func small(c *config.Config) *Checkpoint {
	return &Checkpoint{Format: CheckpointFormat, Version: result.Version, SHA256: "abc", Check: 7, Search: c.Search, Bounds: c.Bounds.String(),
		Race: c.Race, Knowledge: &scheduler.Knowledge{}, Witnessed: &witness.Statement{}, Tree: []byte("tree")}
}

// TestCheckpoint: what is written is read, and refused once a byte of it is another.
func TestCheckpoint(t *testing.T) {
	c := config.Default()
	path := filepath.Join(t.TempDir(), "c.ckpt")
	if err := CheckWritable(path); err != nil {
		t.Error(err)
	}
	if err := small(&c).Write(path); err != nil {
		t.Fatal(err)
	}
	if err := CheckWritable(path); err != nil {
		t.Errorf("a checkpoint can't be written over: %v", err)
	}
	p, err := ReadCheckpoint(path)
	if err != nil || string(p.Tree) != "tree" {
		t.Fatalf("%+v, %v", p, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"check":7`, `"check":8`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCheckpoint(path); !errors.Is(err, result.BadCheckpoint) {
		t.Errorf("a checkpoint with another check: %v", err)
	}
	other := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckWritable(other); !errors.Is(err, result.Unwritable) {
		t.Errorf("another file would be overwritten: %v", err)
	}
}

// TestFits: a checkpoint is refused by a search of another guest, input, kind or
// definition of a race.
func TestFits(t *testing.T) {
	c := config.Default()
	c.PP, c.Deepen, c.Resume = trace.PointLock, false, "c.ckpt"
	p := small(&c)
	if err := p.Fits(&c, "abc", 7); err != nil {
		t.Error(err)
	}
	other := func(change func(*config.Config)) *config.Config {
		d := c
		change(&d)
		return &d
	}
	for what, x := range map[string]struct {
		cfg   *config.Config
		sha   string
		check uint32
		want  result.ErrorKind
	}{
		"another guest":    {&c, "def", 7, result.OtherImage},
		"another input":    {&c, "abc", 8, result.OtherConfig},
		"another search":   {other(func(d *config.Config) { d.Search = "none" }), "abc", 7, result.OtherConfig},
		"another race":     {other(func(d *config.Config) { d.Race = config.RaceHB }), "abc", 7, result.OtherConfig},
		"a deepening":      {other(func(d *config.Config) { d.PP, d.Deepen = trace.MemPoints, true }), "abc", 7, result.OtherConfig},
		"one that goes on": {other(func(d *config.Config) { d.KeepGoing = true }), "abc", 7, result.OtherConfig},
	} {
		if err := p.Fits(x.cfg, x.sha, x.check); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
