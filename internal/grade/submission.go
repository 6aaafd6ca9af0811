package grade

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"landgo/internal/result"
	"landgo/internal/sources"
)

// Submission is one student's work.
type Submission struct {
	// Name is the folder's, or the archive's without its suffix: any bytes.
	Name string
	// Dir is its folder. An archive's is there once it is unpacked.
	Dir string
	// Archive is the path of the archive that was handed in, or "".
	Archive string
	// Problem is why there is nothing to grade, or "".
	Problem string
}

// Submissions are those in a folder, by name: folders and archives. An entry that is
// neither is one too, with a problem, unless its name begins with a dot.
func Submissions(dir string) (all []Submission, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, result.FileError(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && (!e.IsDir() || e.Name() == ".git") {
			continue // files that systems and tools leave behind
		}
		s := Submission{Name: e.Name(), Dir: filepath.Join(dir, e.Name())}
		switch {
		case e.Type().IsRegular():
			s.Archive, s.Dir = s.Dir, ""
			if short := withoutSuffix(s.Name); !names[short] { // two students don't get one name
				names[short] = true
				s.Name = short
			}
		case !e.IsDir():
			s.Problem = "the submission isn't a folder or an archive"
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, result.Errorf(result.Usage, "%s: no submissions in it (a folder or an archive for each student)", dir)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// One is the submission that is a folder or an archive.
func One(path string) (Submission, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Submission{}, result.FileError(err)
	}
	abs, err := filepath.Abs(path)
	s := Submission{Name: filepath.Base(abs), Dir: abs}
	switch {
	case info.Mode().IsRegular():
		s.Name, s.Dir, s.Archive = withoutSuffix(s.Name), "", abs
	case !info.IsDir():
		return Submission{}, result.Errorf(result.Usage, "%s: not a folder or an archive", path)
	}
	return s, err
}

// Limits of a submission, as it is handed in.
const (
	maxFile  = 64 << 20 // bytes
	maxTotal = 128 << 20
	maxFiles = 5000
	maxDepth = 40
)

// errTooMuch says that a submission is too large.
type errTooMuch string

func (e errTooMuch) Error() string { return string(e) }

// files lists the regular files of a submission by their paths beneath it, in order.
// Links and everything else that isn't a file of its own aren't a part of it.
func (s *Submission) files() (paths []string, err error) {
	err = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return errTooMuch("a folder of it can't be read")
		}
		rel, err := filepath.Rel(s.Dir, path)
		switch {
		case err != nil:
			return err
		case strings.Count(rel, "/") > maxDepth:
			return errTooMuch("its folders are too deep")
		case d.Type().IsRegular():
			paths = append(paths, rel)
		}
		if len(paths) > maxFiles {
			return errTooMuch(fmt.Sprintf("it has more than %d files", maxFiles))
		}
		return nil
	})
	return paths, err
}

// read goes over the files of a submission, each opened without following links.
func (s *Submission) read(each func(rel string, mode fs.FileMode, f io.Reader) error) error {
	paths, err := s.files()
	if err != nil {
		return err
	}
	total := int64(0)
	for _, rel := range paths {
		f, err := sources.Open(s.Dir, rel, maxFile)
		if err != nil {
			return errTooMuch(fmt.Sprintf("%s can't be read, or has more than %d MiB", result.Printable(rel), maxFile>>20))
		}
		info, err := f.Stat()
		if err == nil {
			if total += info.Size(); total > maxTotal {
				err = errTooMuch(fmt.Sprintf("it has more than %d MiB", maxTotal>>20))
			} else {
				err = each(rel, info.Mode(), io.LimitReader(f, maxFile))
			}
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// digest names the content of a submission.
func (s *Submission) digest() (string, error) {
	h := sha256.New()
	err := s.read(func(rel string, mode fs.FileMode, f io.Reader) error { return addFile(h, rel, mode, f) })
	return hex.EncodeToString(h.Sum(nil)), err
}

// addFile adds a file to a digest: its path, whether it can be run, its content.
func addFile(h hash.Hash, rel string, mode fs.FileMode, f io.Reader) error {
	own := sha256.New()
	if _, err := io.Copy(own, f); err != nil {
		return err
	}
	fmt.Fprintf(h, "%q %v %x\n", rel, mode&0o100 != 0, own.Sum(nil))
	return nil
}

// copyTo copies a submission into a folder that is empty.
func (s *Submission) copyTo(dir string) error {
	return s.read(func(rel string, mode fs.FileMode, f io.Reader) error {
		return writeNew(filepath.Join(dir, rel), mode, f)
	})
}

func writeNew(path string, mode fs.FileMode, f io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|mode&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return errors.Join(err, to.Close())
}
