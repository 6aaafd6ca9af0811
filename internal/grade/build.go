package grade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"landgo/internal/confine"
	"landgo/internal/course"
	"landgo/internal/result"
	"landgo/internal/sources"
)

// Built is a submission's programs.
type Built struct {
	// Problem is why there are none, or "".
	Problem string
	// Said is the beginning of the build's output.
	Said string
	// Guests are the digests of the programs by their paths, "" for one that isn't there.
	Guests map[string]string
	// Dir is the folder that it was built in, which line information names; "": it was
	// handed in.
	Dir string
	// Digest is that of the submission's content.
	Digest string
	// Missing are layers of confinement that the build hadn't got.
	Missing []confine.Missing
}

// Builder builds submissions.
type Builder struct {
	Course *course.Course
	Store  *Store
	// Landgo is the path of this program, Version what builds are done again for.
	Landgo, Version string
	Level           confine.Level

	harness string // the digest of the course's own files
	base    string // the folder that builds are done beneath
	users   atomic.Int64
}

// Prepare reads the course's files.
func (b *Builder) Prepare() error {
	if b.Course.Build == nil {
		return nil
	}
	h := sha256.New()
	for _, name := range b.Course.Build.Files {
		if err := b.eachOwn(name, func(rel string, mode fs.FileMode, f io.Reader) error { return addFile(h, rel, mode, f) }); err != nil {
			return err
		}
	}
	b.harness = hex.EncodeToString(h.Sum(nil))
	var err error
	b.base, err = base()
	return err
}

// base is a folder that each user may pass through and only this one changes. Its name
// is always the same, so that a program that is built again is the same program.
func base() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("landgo-grade-%d", os.Geteuid()))
	err := os.Mkdir(dir, 0o711)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", result.Errorf(result.Unwritable, "%s: can't be made: %w", dir, err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return "", result.Errorf(result.Unwritable, "%s: isn't a folder that only this user writes to: remove it, or set TMPDIR", dir)
	}
	if os.Geteuid() == 0 { // builds run as users that are no one else's
		for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
			info, err := os.Stat(above)
			if err != nil {
				return "", err
			}
			if info.Mode()&0o001 == 0 {
				return "", result.Errorf(result.Unwritable, "%s: builds can't be done beneath it, for other users can't pass through: set TMPDIR", above)
			}
			if above == filepath.Dir(above) {
				break
			}
		}
	}
	return dir, os.Chmod(dir, 0o711)
}

// eachOwn goes over the files of the course at or beneath a name. They are the
// teacher's: links are followed.
func (b *Builder) eachOwn(name string, each func(rel string, mode fs.FileMode, f io.Reader) error) error {
	return filepath.WalkDir(filepath.Join(b.Course.Dir, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return result.FileError(err)
		}
		if d.IsDir() {
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return result.FileError(err)
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return result.FileError(err)
		}
		defer f.Close()
		rel, err := filepath.Rel(b.Course.Dir, path)
		if err != nil {
			return err
		}
		return each(rel, info.Mode(), f)
	})
}

// guests are the paths of the course's programs.
func (b *Builder) guests() (paths []string) {
	seen := map[string]bool{}
	for _, t := range b.Course.Tests {
		if !seen[t.Guest] {
			seen[t.Guest] = true
			paths = append(paths, t.Guest)
		}
	}
	return paths
}

// own are the paths that the course names in a submission.
func (b *Builder) own() []string {
	paths := b.guests()
	if b.Course.Build != nil {
		paths = append(paths, b.Course.Build.Files...)
	}
	return paths
}

// Build builds a submission, unless one with the same content was built before. An error
// is landgo's or the machine's; what is wrong with a submission is its Problem.
func (b *Builder) Build(ctx context.Context, s *Submission) (*Built, error) {
	if s.Problem != "" {
		return &Built{Problem: s.Problem}, nil
	}
	if err := s.unpack(b.Store, b.own()); err != nil || s.Problem != "" {
		return &Built{Problem: s.Problem}, err
	}
	digest, err := s.digest()
	var much errTooMuch
	if errors.As(err, &much) {
		return &Built{Problem: much.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	key := keyOf(digest, b.Course.Build, b.harness, b.guests(), b.Version)
	var kept Built
	if b.Store.get("builds", key, &kept) && b.complete(&kept) {
		return &kept, nil
	}
	built := &Built{Guests: map[string]string{}, Digest: digest}
	if b.Course.Build == nil {
		err = b.collect(s.Dir, built)
	} else {
		err = b.run(ctx, s, key, built)
	}
	if err != nil && ctx.Err() == nil && result.KindOf(err) == result.Fault {
		return &Built{Problem: "the build's worker was lost"}, nil // the next run tries again
	}
	if err != nil {
		return nil, err
	}
	return built, b.Store.put("builds", key, built)
}

func (b *Builder) complete(k *Built) bool {
	for _, sum := range k.Guests {
		if sum != "" && !b.Store.Has(sum) {
			return false
		}
	}
	return true
}

// collect takes the programs out of a folder that isn't trusted.
func (b *Builder) collect(dir string, built *Built) error {
	for _, path := range b.guests() {
		f, err := sources.Open(dir, path, maxFile)
		if err != nil {
			built.Guests[path] = ""
			continue
		}
		built.Guests[path], err = b.Store.Keep(io.LimitReader(f, maxFile))
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// keptOutput is how much of a build's output is kept, in bytes.
const keptOutput = 16 << 10

// Tries is how often a build or a job is done whose process died.
const Tries = 4

// run builds a submission in a folder of its own.
func (b *Builder) run(ctx context.Context, s *Submission, key string, built *Built) error {
	room := filepath.Join(b.base, key)
	lock, err := locked(room + ".lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	defer os.Remove(room + ".lock")
	defer remove(room)
	for try := 1; ; try++ {
		err := b.once(ctx, s, room, built)
		if err == nil || ctx.Err() != nil || try == Tries || result.KindOf(err) != result.Fault {
			return err
		}
	}
}

// locked has a file's lock, which another run with the same submission may have first.
// That one removes the file at its end, so the one with the lock has to be the one there.
func locked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			f.Close()
			return nil, err
		}
		own, err := f.Stat()
		if there, missing := os.Lstat(path); err == nil && missing == nil && os.SameFile(own, there) {
			return f, nil
		}
		f.Close()
	}
}

func (b *Builder) once(ctx context.Context, s *Submission, room string, built *Built) error {
	remove(room) // of one that was killed
	work, temporary := filepath.Join(room, "work"), filepath.Join(room, "tmp")
	for _, dir := range []string{room, work, temporary} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return result.Errorf(result.Unwritable, "%w", err)
		}
	}
	if err := s.copyTo(work); err != nil {
		return err
	}
	for _, path := range b.guests() { // a program that was handed in isn't the one to check
		if err := os.RemoveAll(filepath.Join(work, path)); err != nil {
			return err
		}
	}
	for _, name := range b.Course.Build.Files {
		if err := os.RemoveAll(filepath.Join(work, name)); err != nil {
			return err
		}
		if err := b.eachOwn(name, func(rel string, mode fs.FileMode, f io.Reader) error {
			return writeNew(filepath.Join(work, rel), mode, f)
		}); err != nil {
			return err
		}
	}
	c := b.Course.Build
	job := &confine.Build{Command: c.Command, Dir: room, Work: work, User: b.user(), Level: b.Level,
		Env:  []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + work, "TMPDIR=" + temporary, "LANG=C.UTF-8", "SOURCE_DATE_EPOCH=0"},
		Time: c.Time, Memory: uint64(c.Memory), Disk: uint64(c.Disk), Output: uint64(c.Output), Kept: keptOutput,
		Processes: c.Processes, Files: c.MaxFiles}
	if job.User != 0 {
		if err := give(room, job.User); err != nil {
			return err
		}
	}
	end, err := job.Run(ctx, b.Landgo)
	if err != nil {
		return err
	}
	if end.Err != "" {
		return result.Errorf(result.Unconfined, "a build can't be confined: %s", end.Err)
	}
	*built = Built{Digest: built.Digest, Said: strings.ReplaceAll(strings.ReplaceAll(end.Said, work+"/", ""), room, "."), Guests: map[string]string{}, Dir: work, Missing: end.Missing}
	switch {
	case end.Limit != "":
		built.Problem = "the build was ended: " + end.Limit
	case end.Status < 0:
		built.Problem = "the build was killed"
	default:
		if end.Status > 0 { // some programs may be there
			built.Problem = fmt.Sprintf("the build failed (status %d)", end.Status)
		}
		return b.collect(work, built)
	}
	return nil
}

// user is one for a build, which no other process of the machine has; 0 where landgo
// can't change it. The numbers are those that systemd takes for users that come and go.
func (b *Builder) user() int {
	if os.Geteuid() != 0 || b.Level == confine.Off {
		return 0
	}
	const first, last = 61184, 65519
	return first + int((int64(os.Getpid())*37+b.users.Add(1))%(last-first+1))
}

// give gives a folder that landgo has made to a user.
func give(dir string, user int) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, user, user)
	})
}

// remove removes a folder, also what isn't permitted in it to its owner.
func remove(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
