package grade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"landgo/internal/result"
)

// Store is the run's folder. Each file in it is written under another name and then
// renamed, so that it is whole or not there, whatever is killed when.
//
//	unpacked/SHA256   submissions that were archives
//	builds/KEY.json   how a submission's build ended
//	guests/SHA256     the programs
//	results/KEY.json  the outcome of a job
//	bugs/KEY.landgo   its bug, for landgo replay
//	pages/KEY.html    its bug, drawn
type Store struct {
	dir  string
	lock *os.File
}

// OpenStore opens a run's folder, which one landgo at a time may have.
func OpenStore(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"unpacked", "builds", "guests", "results", "bugs", "pages"} {
		if err := os.MkdirAll(filepath.Join(abs, part), 0o700); err != nil {
			return nil, result.Errorf(result.Unwritable, "%s: can't be made: %w", dir, err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(abs, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, result.Errorf(result.Unwritable, "%s: %w", dir, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, result.Errorf(result.Usage, "%s: another landgo grade is at work in this folder", dir)
	}
	return &Store{abs, lock}, nil
}

// Close lets others have the folder.
func (s *Store) Close() { s.lock.Close() }

func (s *Store) path(part, name string) string { return filepath.Join(s.dir, part, name) }

// get reads what is kept under a key. A file that can't be read is as good as none.
func (s *Store) get(part, key string, v any) bool {
	text, err := os.ReadFile(s.path(part, key+".json"))
	return err == nil && json.Unmarshal(text, v) == nil
}

// put keeps a value for good.
func (s *Store) put(part, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(s.path(part, key+".json"), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Keep keeps a file that a search needs, and returns the digest by which it is found.
func (s *Store) Keep(f io.Reader) (string, error) {
	tmp, err := os.CreateTemp(filepath.Join(s.dir, "guests"), ".new-")
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, h), f)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	return sum, os.Rename(tmp.Name(), s.File(sum))
}

// File is the path of the file with a digest.
func (s *Store) File(sum string) string { return s.path("guests", sum) }

// Has reports whether a file is kept.
func (s *Store) Has(sum string) bool {
	info, err := os.Stat(s.File(sum))
	return err == nil && info.Mode().IsRegular()
}

func (s *Store) write(path string, fill func(io.Writer) error) error { return WriteFile(path, fill) }

// WriteFile writes a file that is whole or as it was before.
func WriteFile(path string, fill func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return result.Errorf(result.Unwritable, "%s: can't be written: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	err = errors.Join(fill(tmp), tmp.Close())
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return result.Errorf(result.Unwritable, "%s: can't be written: %w", path, err)
	}
	return nil
}

// keyOf is a name for some values.
func keyOf(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		text, err := json.Marshal(p)
		if err != nil {
			panic(fmt.Sprintf("a key of %T: %v", p, err)) // plain data
		}
		fmt.Fprintf(h, "%d:%s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
