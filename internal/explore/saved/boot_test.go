package saved

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestBoot: a boot that was written is read under its key and no other.
func TestBoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "boots")
	key := sha256.Sum256([]byte("a kernel"))
	path := filepath.Join(dir, "a"+BootSuffix)
	if _, err := ReadBoot(path, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	b := &Boot{Own: []byte("own"), Board: []byte("board")}
	if err := b.Write(path, key); err != nil {
		t.Fatal(err)
	}
	got, err := ReadBoot(path, key)
	if err != nil || !bytes.Equal(got.Own, b.Own) || !bytes.Equal(got.Board, b.Board) {
		t.Errorf("%+v, %v", got, err)
	}
	var damaged *DamagedBoot
	if _, err := ReadBoot(path, sha256.Sum256([]byte("another"))); !errors.As(err, &damaged) {
		t.Errorf("under another key: %v", err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBoot(path, key); !errors.As(err, &damaged) {
		t.Errorf("a file that others may write: %v", err)
	}
}

// TestTidy: the oldest boots go until the others have room; other files stay.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i := range 4 {
		path := filepath.Join(dir, fmt.Sprint(i, BootSuffix))
		if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		when := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	tidy(dir, 25)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	left := ""
	for _, e := range entries {
		left += e.Name() + " "
	}
	if want := "0.boot 1.boot notes "; left != want {
		t.Errorf("left are %s, want %s", left, want)
	}
}
