package compile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// room is the folder that everything is built in: bin/programs at the top of the tree. A
// tree that can't be written to has one that doesn't outlive the machine's temporary files.
var room = sync.OnceValues(func() (string, error) {
	for dir, err := os.Getwd(); err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		if dir = filepath.Join(dir, "bin", "programs"); os.MkdirAll(dir, 0o755) == nil && syscall.Access(dir, 2) == nil {
			return dir, nil
		}
		break
	}
	return os.MkdirTemp("", "landgo-programs-")
})

// digest is a name made of texts.
func digest(texts ...string) string {
	h := sha256.New()
	for _, s := range texts {
		fmt.Fprintf(h, "%d %s", len(s), s)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// alone makes a folder, unless it is there, and waits until no other process, and no other
// test, has it to itself.
func alone(dir string) (free func(), err error) {
	for {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		f, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			f.Close()
			return nil, err
		}
		mine, _ := f.Stat()
		if there, err := os.Stat(dir); err == nil && os.SameFile(mine, there) {
			return func() { f.Close() }, nil
		}
		f.Close() // it was removed meanwhile
	}
}

// kept is the path of the program that a compiler makes of a source. That is the given
// text, in a file of this name, or the file itself if the text is empty. It is the one of
// an earlier run if nothing is changed that it depends on. That is the compiler and its
// library, the arguments, the source and the headers beside it, and the folder, which
// debug information names.
func kept(cc, name, text string, args []string) (string, error) {
	dir, err := room()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	tools, err := identity(cc)
	if err != nil {
		return "", err
	}
	key := digest(append([]string{tools, here, name, text}, args...)...)
	dir = filepath.Join(dir, key)
	base := filepath.Base(name)
	out := filepath.Join(dir, strings.TrimSuffix(base, filepath.Ext(base)))
	if current(out) {
		return out, nil
	}
	free, err := alone(dir)
	if err != nil {
		return "", err
	}
	defer free()
	if current(out) { // another process has built it meanwhile
		return out, nil
	}
	if text != "" {
		name = filepath.Join(dir, base)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	if err := compile(cc, name, out, args); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return out, nil
}

// A linker makes a table for each of libc's thousand members. Small tables, in large pages,
// halve its time. It needs no plugin of gcc's, as nothing is optimised when it is linked.
const largePages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864"

var quickLink = sync.OnceValue(func() []string {
	flags := []string{"-fno-lto", "-fno-use-linker-plugin"}
	if said, _ := exec.Command("ld", "--help").CombinedOutput(); bytes.Contains(said, []byte("--hash-size")) {
		flags = append(flags, "-Wl,--hash-size=127")
	}
	return flags
})

// compile builds a program, and notes which files of the user's it is of, each with its digest.
// The program reaches its place whole, and after the note.
func compile(cc, name, out string, args []string) error {
	args = append(args, "-MMD", "-MF", out+".d", "-o", out+".new", name)
	run := exec.Command(cc, args...)
	run.Env = append(os.Environ(), largePages)
	if said, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", cc, strings.Join(args, " "), err, said)
	}
	rule, err := os.ReadFile(out + ".d")
	if err != nil && filepath.Ext(name) != ".s" { // assembly text has no headers
		return err
	}
	_, files, _ := strings.Cut(strings.ReplaceAll(string(rule), "\\\n", " "), ":")
	var note strings.Builder
	for _, file := range append(strings.Fields(files), name) {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&note, "%s %s\n", digest(string(content)), file)
	}
	if err := os.WriteFile(out+".of", []byte(note.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(out+".new", out)
}

// current reports whether a program is there, and of files as they are now.
func current(out string) bool {
	if _, err := os.Stat(out); err != nil {
		return false
	}
	note, err := os.ReadFile(out + ".of")
	if err != nil {
		return false
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(note), "\n"), "\n") {
		was, file, _ := strings.Cut(line, " ")
		if content, err := os.ReadFile(file); err != nil || digest(string(content)) != was {
			return false
		}
	}
	used(filepath.Dir(out))
	return true
}

// used notes that a folder's program was asked for.
func used(dir string) {
	now := time.Now()
	os.Chtimes(dir, now, now)
}

// identities are those of compilers that were asked for.
var identities sync.Map

// identity tells a compiler, its linker and its library from any others, by their files.
func identity(cc string) (string, error) {
	if known, ok := identities.Load(cc); ok {
		return known.(string), nil
	}
	path, err := exec.LookPath(cc)
	if err != nil {
		return "", err
	}
	files := []string{path}
	for _, what := range []string{"-print-prog-name=cc1", "-print-prog-name=cc1plus", "-print-prog-name=as", "-print-prog-name=ld",
		"-print-file-name=libc.a", "-print-file-name=libstdc++.a", "-print-file-name=libgcc.a"} {
		said, err := exec.Command(cc, what).Output()
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", cc, what, err)
		}
		files = append(files, strings.TrimSpace(string(said)))
	}
	var all strings.Builder
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "SOURCE_DATE_EPOCH"} {
		fmt.Fprintf(&all, "%s=%s\n", name, os.Getenv(name))
	}
	for _, file := range files {
		if full, err := exec.LookPath(file); err == nil {
			file = full
		}
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&all, file, info.Size(), info.ModTime().UnixNano())
		} else {
			fmt.Fprintln(&all, file) // a compiler has no file for what it hasn't
		}
	}
	identities.Store(cc, all.String())
	return all.String(), nil
}

// unused is for how long a program is kept that no test asks for.
const unused = 3 * 24 * time.Hour

// trim removes the programs that no test has asked for in a while, or all that were built
// outside of the tree.
func trim() {
	dir, err := room()
	if err != nil {
		return
	}
	if filepath.Base(dir) != "programs" {
		os.RemoveAll(dir)
		return
	}
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < unused {
			continue
		}
		if free, err := alone(filepath.Join(dir, e.Name())); err == nil {
			os.RemoveAll(filepath.Join(dir, e.Name()))
			free()
		}
	}
}
