package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"landgo/internal/result"
)

// Guests that are given as sources. They are the user's own, and so are the compiler and
// what it reads (headers anywhere, a cache of its own). It is started as the user would
// start it, and not in the sandbox in which landgo grade builds what strangers wrote.

// language is how sources of a kind are compiled: by a variable with the compiler and
// one with its flags, as make(1) has them.
type language struct{ compiler, usual, flags string }

// languages are by the suffixes of sources.
var languages = map[string]language{
	".c":   {"CC", "cc", "CFLAGS"},
	".cc":  {"CXX", "c++", "CXXFLAGS"},
	".cpp": {"CXX", "c++", "CXXFLAGS"},
	".cxx": {"CXX", "c++", "CXXFLAGS"},
	".c++": {"CXX", "c++", "CXXFLAGS"},
	".C":   {"CXX", "c++", "CXXFLAGS"},
}

// sanitizers are the flags of those whose programs can't be run.
var sanitizers = []string{"-fsanitize=thread", "-fsanitize=address", "-fsanitize=hwaddress", "-fsanitize=memory", "-fsanitize=leak"}

// built is the guest of a command's arguments: a program that is given, or one that is
// made of sources, or by make in a folder.
func (a *app) built(ctx context.Context, folder string, own []string) (string, error) {
	if folder != "" {
		target, err := oneGuest(own)
		if err != nil {
			return "", err
		}
		program := filepath.Join(folder, target)
		if err := a.compile(ctx, target, "make", "-C", folder, target); err != nil {
			return "", err
		}
		if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
			return "", result.Errorf(result.NotBuilt, "%s: make -C %s %s made no such file: the target is to be the program's file", program, folder, target)
		}
		return program, nil
	}
	for _, name := range own {
		if _, ok := languages[filepath.Ext(name)]; ok {
			return a.fromSources(ctx, own)
		}
	}
	if len(own) == 1 {
		if info, err := os.Stat(own[0]); err == nil && info.IsDir() {
			return "", result.Errorf(result.NotProgram, "%s: a folder: --make %s TARGET has make build a program there", own[0], own[0])
		}
	}
	return oneGuest(own)
}

// fromSources compiles sources. The first gives the program its name. C++ among them has
// all compiled by its compiler, as a linker needs that one's libraries.
func (a *app) fromSources(ctx context.Context, sources []string) (string, error) {
	l := languages[".c"]
	for _, name := range sources {
		if _, err := os.Stat(name); err != nil {
			return "", result.FileError(err)
		}
		if of, ok := languages[filepath.Ext(name)]; ok && of.compiler != l.compiler {
			l = of
		}
	}
	compiler := strings.Fields(os.Getenv(l.compiler))
	if len(compiler) == 0 {
		compiler = []string{l.usual}
	}
	flags := strings.Fields(os.Getenv(l.flags))
	for _, f := range slices.Concat(compiler[1:], flags) { // the engine knows the program alone
		if slices.Contains(sanitizers, f) {
			return "", result.Errorf(result.Sanitized, "%s: %s or %s has %s", sources[0], l.flags, l.compiler, f)
		}
	}
	first := filepath.Base(sources[0])
	program, err := programPath(strings.TrimSuffix(first, filepath.Ext(first)), append(compiler, sources...))
	if err != nil {
		return "", err
	}
	if l.usual == "c++" && hidesOrders(sources, slices.Concat(compiler[1:], flags)) {
		fmt.Fprintf(a.stderr, "landgo: %s is compiled without optimisation. g++ makes each store of std::atomic an exchange then, whatever its memory order: a missing fence can't show. CXXFLAGS=-O1 checks the stores as written\n", sources[0])
	}
	args := slices.Concat(compiler[1:], []string{"-g", "-pthread"}, flags, []string{"-o", program}, sources, strings.Fields(os.Getenv("LDLIBS")))
	return program, a.compile(ctx, sources[0], compiler[0], args...)
}

// hidesOrders is whether C++ with memory orders is compiled without optimisation. The
// order is a parameter that the compiler doesn't know then, so it takes the strictest.
func hidesOrders(sources, flags []string) bool {
	if slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-O") && f != "-O0" }) {
		return false
	}
	return slices.ContainsFunc(sources, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte("memory_order"))
	})
}

// programPath is where the program of sources is kept: a replay needs it later.
func programPath(name string, of []string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", result.Errorf(result.Unwritable, "there is no folder for the program: %w: set XDG_CACHE_HOME to one", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(append(of, here), "\x00")))
	dir = filepath.Join(dir, "landgo", "built", fmt.Sprintf("%x", sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", result.Errorf(result.Unwritable, "there is no folder for the program: %w", err)
	}
	return filepath.Join(dir, name), nil
}

// compile runs a command that builds; what it says is for the user as it is.
func (a *app) compile(ctx context.Context, what, command string, args ...string) error {
	cmd := exec.CommandContext(ctx, command, args...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = a.stderr, io.MultiWriter(a.stderr, &said)
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return result.Errorf(result.NotBuilt, "%s: there is no %s here", what, command)
	}
	if err != nil && command != "make" && strings.Contains(said.String(), "undefined reference") {
		return result.Errorf(result.NotBuilt, "%s: %s: %w; LDLIBS names libraries to link with, LDLIBS=-lm for one", what, strings.Join(append([]string{command}, args...), " "), err)
	}
	if err != nil {
		return result.Errorf(result.NotBuilt, "%s: %s: %w", what, strings.Join(append([]string{command}, args...), " "), err)
	}
	return nil
}
