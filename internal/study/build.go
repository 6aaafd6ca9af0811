package main

import (
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed mutants.mk
var rules string

// build compiles a pair into the scratch folder by the guests' own make rules,
// and is the program's path there. A mutant that isn't C any more gives a
// discarded.
func (l *lab) build(p pair) (string, error) {
	if p.kernel() {
		return p.built(), nil
	}
	tree, err := l.plant(p)
	if err != nil {
		return "", err
	}
	out := filepath.Join(tree, p.library+"-"+p.test)
	if why, err := os.ReadFile(filepath.Join(tree, "discarded")); err == nil {
		return "", discarded(why)
	}
	guests, err := filepath.Abs(pebbles)
	if err != nil {
		return "", err
	}
	right := filepath.Join(l.scratch, "build", p.library, "right")
	if err := os.MkdirAll(right, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("make", "-s", "-f", "-", "PEBBLES="+guests, "LIBRARY="+p.library, "TEST="+p.test, "TREE="+tree, "RIGHT="+right, out)
	cmd.Stdin = strings.NewReader(rules)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, nil
	case p.mutant == nil || !errors.As(err, &exit) || !strings.Contains(string(text), filepath.Join(tree, p.mutant.File)):
		return "", fmt.Errorf("%s can't be built: %w\n%s", p.name(), err, text)
	}
	why := discarded(firstError(text))
	return "", errors.Join(why, os.WriteFile(filepath.Join(tree, "discarded"), []byte(why), 0o644))
}

// discarded says why a mutant isn't a program.
type discarded string

func (d discarded) Error() string { return string(d) }

func firstError(text []byte) string {
	for _, line := range strings.Split(string(text), "\n") {
		if _, what, ok := strings.Cut(line, "error: "); ok {
			return strings.TrimSpace(what)
		}
	}
	return strings.TrimSpace(string(text))
}

// plant makes a mutant's folder: the changed file, and where that is a header
// links to the sources that include it. It is empty for the right library.
func (l *lab) plant(p pair) (string, error) {
	tree := filepath.Join(l.scratch, "build", p.folder())
	if err := os.MkdirAll(tree, 0o755); err != nil || p.mutant == nil {
		return tree, err
	}
	file := filepath.Join(tree, p.mutant.File)
	if old, err := os.ReadFile(file); err == nil && string(old) == p.mutant.Text {
		return tree, nil // it keeps its date, and make has nothing to do
	}
	// Nothing may stay of another text under the same name.
	if err := errors.Join(os.RemoveAll(tree), os.MkdirAll(tree, 0o755)); err != nil {
		return "", err
	}
	if strings.HasSuffix(file, ".h") {
		sources, err := filepath.Glob(filepath.Join(pebbles, p.library, "*.c"))
		if err != nil {
			return "", err
		}
		for _, s := range sources {
			if s, err = filepath.Abs(s); err != nil {
				return "", err
			}
			if err := os.Symlink(s, filepath.Join(tree, filepath.Base(s))); err != nil {
				return "", err
			}
		}
	}
	return tree, os.WriteFile(file, []byte(p.mutant.Text), 0o644)
}

// loaded is a program's image in memory, without the tables for unwinding.
// Where only debug information differs, two programs are the same to a run.
func loaded(path string) ([]byte, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []byte
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || strings.HasPrefix(s.Name, ".eh_frame") {
			continue
		}
		all = fmt.Appendf(all, "%s %#x %#x\n", s.Name, s.Addr, s.Size)
		if s.Type != elf.SHT_NOBITS {
			data, err := s.Data()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			all = append(all, data...)
		}
	}
	return all, nil
}
