package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"landgo/internal/result"
)

// TestDisks: a disk takes the next place or the one given, and is no file of a program's.
func TestDisks(t *testing.T) {
	c := Default()
	o := OptionNamed("disk")
	for _, v := range []string{"a.img", "2:b.img", "c:d.img"} {
		if err := o.Apply(&c, v); err != nil {
			t.Fatal(err)
		}
	}
	if got := o.Get(&c); !slices.Equal(got, []string{"0:a.img", "2:b.img", "3:c:d.img"}) {
		t.Errorf("disks %v", got)
	}
	if got := OptionNamed("file").Get(&c); len(got) > 0 {
		t.Errorf("files %v", got)
	}
	for _, v := range []string{"e.img", "", "1:"} {
		if err := o.Apply(&c, v); result.KindOf(err) != result.Usage {
			t.Errorf("--disk %q: %v", v, err)
		}
	}
	if err := OptionNamed("file").Apply(&c, "x:disk 1"); result.KindOf(err) != result.Usage {
		t.Errorf("a file called as a disk: %v", err)
	}
}

// TestDiskKept: a bug file has what is on a small disk, and asks for a large one.
func TestDiskKept(t *testing.T) {
	dir := t.TempDir()
	small, large := filepath.Join(dir, "small"), filepath.Join(dir, "large")
	for path, size := range map[string]int{small: 512, large: maxKeptInput + 1} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := Default()
	for _, v := range []string{small, large} {
		if err := OptionNamed("disk").Apply(&c, v); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.replayFlags(); !slices.Equal(got, []string{"--disk", "1:" + large}) {
		t.Errorf("a replay needs %v", got)
	}
	got, err := ConfigOf(&result.BugFile{Config: c.Saved()})
	if err != nil {
		t.Fatal(err)
	}
	given := Default()
	if err := got.TakeHost(&given); result.KindOf(err) != result.Usage {
		t.Errorf("a replay without the large disk: %v", err)
	}
	if err := OptionNamed("disk").Apply(&given, "1:"+large); err != nil {
		t.Fatal(err)
	}
	if err := got.TakeHost(&given); err != nil || len(got.Files[0].Content) != 512 || got.Files[1].Host != large {
		t.Errorf("%v: %+v", err, got.Files[1])
	}
}
