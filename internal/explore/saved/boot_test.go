package saved

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
