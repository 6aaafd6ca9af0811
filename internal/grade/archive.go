package grade

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"landgo/internal/result"
	"landgo/internal/sources"
)

// Submissions come as archives too: zip, tar, tar.gz, tar.bz2. An archive is unpacked
// into the run's folder once. Only regular files come out of it: links and devices
// aren't a part of a submission. Sizes are those of the bytes that come out, whatever the
// archive says of them. A path that leads out of the folder refuses the whole archive.

// suffixes are those that a student's name loses.
var suffixes = []string{".tar.gz", ".tar.bz2", ".tgz", ".tbz2", ".tbz", ".tar", ".zip"}

// withoutSuffix is an archive's name without what says its form.
func withoutSuffix(name string) string {
	for _, s := range suffixes {
		if short := name[:max(len(name)-len(s), 0)]; short != "" && strings.EqualFold(name[len(short):], s) {
			return short
		}
	}
	return name
}

// The beginnings of archives.
const (
	zipMark   = "PK\x03\x04"
	zipEmpty  = "PK\x05\x06"
	zipEntry  = "PK\x01\x02" // of the directory at a zip's end
	gzipMark  = "\x1f\x8b"
	bzip2Mark = "BZh"
	tarMark   = "ustar"
	tarAt     = 257
)

// unpack gives a submission that is an archive its folder, in the run's. The archive's
// error is its problem. own are the paths that the course names.
func (s *Submission) unpack(store *Store, own []string) error {
	if s.Archive == "" || s.Problem != "" || s.Dir != "" {
		return nil
	}
	f, err := sources.Open(filepath.Dir(s.Archive), filepath.Base(s.Archive), maxFile)
	if err != nil {
		s.Problem = fmt.Sprintf("the archive can't be read, or has more than %d MiB", maxFile>>20)
		return nil
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return result.FileError(err)
	}
	dir := store.path("unpacked", hex.EncodeToString(h.Sum(nil)))
	if _, err := os.Stat(dir); err != nil {
		u := unpacking{}
		if u.dir, err = os.MkdirTemp(store.path("unpacked", ""), ".new-"); err != nil {
			return result.Errorf(result.Unwritable, "%w", err)
		}
		defer os.RemoveAll(u.dir)
		if err := u.all(f); err != nil {
			var full *fs.PathError
			if errors.As(err, &full) && (errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS)) {
				return result.Errorf(result.Unwritable, "%w", err)
			}
			s.Problem = "the archive can't be unpacked: " + result.Printable(strings.ReplaceAll(err.Error(), u.dir+"/", ""))
			return nil
		}
		if err := os.Rename(u.dir, dir); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) {
			return result.Errorf(result.Unwritable, "%w", err)
		}
	}
	s.Dir = within(dir, own)
	return nil
}

// within is the folder in an unpacked archive that the submission begins in. It is the
// only one in it, as many programs make archives, unless the course has files in a folder
// of its name.
func within(dir string, own []string) string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !entries[0].IsDir() {
		return dir
	}
	name := entries[0].Name()
	for _, path := range own {
		if first, _, _ := strings.Cut(path, "/"); first == name {
			return dir
		}
	}
	return filepath.Join(dir, name)
}

// unpacking is an archive on its way into a folder.
type unpacking struct {
	dir          string
	total, files int64
}

func (u *unpacking) all(f *os.File) error {
	head := make([]byte, tarAt+len(tarMark))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte(zipMark)), bytes.HasPrefix(head, []byte(zipEmpty)):
		return u.zip(f)
	case bytes.HasPrefix(head, []byte(gzipMark)):
		g, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return err
		}
		return u.tar(g)
	case bytes.HasPrefix(head, []byte(bzip2Mark)):
		return u.tar(bzip2.NewReader(bufio.NewReader(f)))
	case len(head) == cap(head) && string(head[tarAt:]) == tarMark:
		return u.tar(f)
	}
	return errTooMuch("it isn't a folder, a zip, a tar, a tar.gz or a tar.bz2")
}

// tar unpacks a stream. All that comes out of the compression counts, also what is in no
// file: an archive can have gigabytes of that.
func (u *unpacking) tar(from io.Reader) error {
	const between = 4 << 10 // headers and padding of a file
	stream := &io.LimitedReader{R: from, N: maxTotal + maxFiles*between}
	t := tar.NewReader(stream)
	for entries := 0; ; entries++ {
		h, err := t.Next()
		switch {
		case stream.N == 0:
			return errTooMuch(fmt.Sprintf("it has more than %d MiB", maxTotal>>20))
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case entries > 2*maxFiles:
			return errTooMuch(fmt.Sprintf("it has more than %d entries", 2*maxFiles))
		case h.Typeflag != tar.TypeReg:
			continue
		}
		if err := u.file(h.Name, h.FileInfo().Mode(), t); err != nil {
			return err
		}
	}
}

// zip unpacks a file. Its directory is counted before it is read, for each entry of it
// costs more memory than bytes.
func (u *unpacking) zip(f *os.File) error {
	n, err := count(f, []byte(zipEntry))
	if err != nil {
		return err
	}
	if n > 4*maxFiles {
		return errTooMuch(fmt.Sprintf("it has more than %d entries", 4*maxFiles))
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, entry := range z.File {
		const encrypted = 1
		switch {
		case entry.Flags&encrypted != 0:
			return errTooMuch("it is encrypted")
		case !entry.Mode().IsRegular():
			continue
		}
		name := entry.Name
		if !strings.Contains(name, "/") { // some programs write it so
			name = strings.ReplaceAll(name, `\`, "/")
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return err
		}
		err = u.file(name, entry.Mode(), r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// count counts a mark in a file.
func count(f io.ReaderAt, mark []byte) (n int, err error) {
	buffer := make([]byte, 1<<20)
	for at := int64(0); ; {
		got, err := f.ReadAt(buffer, at)
		n += bytes.Count(buffer[:got], mark)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		at += int64(got - len(mark) + 1)
	}
}

// file writes a file of the archive. Nothing in the folder is a link, so a local path
// stays in it.
func (u *unpacking) file(name string, mode fs.FileMode, from io.Reader) error {
	rel := path.Clean(name)
	if name == "" || rel == "." || !filepath.IsLocal(rel) || strings.ContainsRune(rel, 0) {
		return errTooMuch(fmt.Sprintf("%q leads out of it", name))
	}
	if first, _, _ := strings.Cut(rel, "/"); first == "__MACOSX" || path.Base(rel) == ".DS_Store" {
		return nil // files that systems leave behind
	}
	if strings.Count(rel, "/") > maxDepth {
		return errTooMuch("its folders are too deep")
	}
	if u.files++; u.files > maxFiles {
		return errTooMuch(fmt.Sprintf("it has more than %d files", maxFiles))
	}
	most := min(maxFile, maxTotal-u.total)
	counted := &io.LimitedReader{R: from, N: most + 1}
	if err := writeNew(filepath.Join(u.dir, rel), mode, counted); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return errTooMuch(fmt.Sprintf("it has %q twice", rel))
		}
		return err
	}
	if u.total += most + 1 - counted.N; counted.N == 0 {
		return errTooMuch(fmt.Sprintf("a file of it has more than %d MiB, or all of them have more than %d MiB", maxFile>>20, maxTotal>>20))
	}
	return nil
}
