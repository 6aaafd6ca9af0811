package main

import (
	"fmt"
	"os"
	"path/filepath"

	"landgo/internal/mutate"
)

// pebbles is where the libraries, their tests and their make rules are.
const pebbles = "guests/pebbles"

// A library is one of the two thread libraries.
type library struct {
	name  string
	words mutate.Vocabulary
}

var libraries = []library{
	{"spin", mutate.Vocabulary{
		Locks: []mutate.Lock{{Lock: "mutex_lock", Unlock: "mutex_unlock", Type: "mutex_t"}},
		Wakes: []string{"make_runnable", "wake", "cond_signal", "cond_broadcast"},
		Frees: []string{"remove_pages(", "_free("},
	}},
	{"queue", mutate.Vocabulary{
		Locks: []mutate.Lock{
			{Lock: "guard_lock", Unlock: "guard_unlock", Type: "guard_t"},
			{Lock: "mutex_lock", Unlock: "mutex_unlock", Type: "mutex_t"},
		},
		Wakes: []string{"make_runnable", "grant"},
		Frees: []string{"unused = t;", "_free("},
	}},
}

// tests says which tests a mistake in a file is paired with: six each, of the
// file's subject. thread.c is under every test; it is paired with those of threads.
// A mistake is paired with those of them that call the function which has
// it.
var tests = map[string][]string{
	"mutex.c":  {"mutex", "sections", "three", "rounds", "apart", "destroy"},
	"guard.h":  {"mutex", "sections", "cond", "sem", "rwlock", "join"},
	"queue.h":  {"mutex", "cond", "signal", "sem", "rwlock", "join"},
	"cond.c":   {"cond", "signal", "two_waiters", "broadcast", "unlocked", "answer"},
	"sem.c":    {"sem", "consumers", "taken", "units", "producer", "meeting"},
	"rwlock.c": {"rwlock", "downgrade", "readers", "writers", "together", "downgrades"},
	"thread.c": {"join", "join_first", "join_late", "reuse", "getid", "refused"},
	"malloc.c": {"malloc", "calloc", "realloc", "give", "inherit", "sizes"},
}

// families are the paper's names for what the tests are about, with ours.
var families = []struct {
	name  string
	tests []string
}{
	{"bcast", []string{"broadcast", "two_waiters", "unlocked"}},
	{"join", []string{"join", "join_first", "join_late", "reuse", "getid", "refused"}},
	{"mx", []string{"mutex", "sections", "three", "rounds", "apart", "destroy"}},
	{"sem", []string{"sem", "consumers", "taken", "units", "producer", "meeting"}},
	{"signal", []string{"cond", "signal", "answer"}},
	{"rwlock", []string{"rwlock", "downgrade", "readers", "writers", "together", "downgrades"}},
	{"malloc", []string{"malloc", "calloc", "realloc", "give", "inherit", "sizes"}},
	{"sched", []string{"kernel_yield", "kernel_lock", "kernel_semaphore", "kernel_donate", "kernel_donate_two"}},
	{"alarm", []string{"kernel_sleep", "kernel_alarm"}},
	{"wait", []string{"kernel_create", "kernel_join", "kernel_leave"}},
}

// A pair is a library with one mistake, or with none, under one test.
type pair struct {
	library string
	mutant  *mutate.Mutant // nil for the library as it is
	test    string
}

// name is the pair's, and that of its folder and file in the scratch folder.
func (p pair) name() string { return filepath.Join(p.folder(), p.library+"-"+p.test) }

func (p pair) folder() string {
	if p.mutant == nil {
		return filepath.Join(p.library, "right")
	}
	return filepath.Join(p.library, p.mutant.Name())
}

// pairs are all of the libraries: first those without a mistake, then the
// mutants in their order, each with its tests.
func pairs() ([]pair, error) {
	var right, wrong []pair
	for _, l := range libraries {
		files, err := filepath.Glob(filepath.Join(pebbles, l.name, "*.[ch]"))
		if err != nil {
			return nil, err
		}
		calls, err := l.calls(files)
		if err != nil {
			return nil, err
		}
		reached := map[string]map[string]bool{} // by test
		for _, f := range files {
			under := tests[filepath.Base(f)]
			for _, t := range under {
				if reached[t] != nil {
					continue
				}
				if reached[t], err = reach(t, calls); err != nil {
					return nil, err
				}
				right = append(right, pair{library: l.name, test: t})
			}
			all, err := l.mutants(f)
			if err != nil {
				return nil, err
			}
			if len(all) > 0 && under == nil {
				return nil, fmt.Errorf("no test is named for %s", f)
			}
			for i := range all {
				for _, t := range under {
					if reached[t][all[i].Function] {
						wrong = append(wrong, pair{l.name, &all[i], t})
					}
				}
			}
		}
	}
	kernels, err := kernelPairs()
	if err != nil {
		return nil, err
	}
	for _, k := range kernels {
		if k.mutant == nil {
			right = append(right, k)
		} else {
			wrong = append(wrong, k)
		}
	}
	return append(right, wrong...), nil
}

// calls are the names that each function of the library has in calls.
func (l library) calls(files []string) (map[string][]string, error) {
	calls := map[string][]string{}
	for _, f := range files {
		src, err := l.plain(f)
		if err != nil {
			return nil, err
		}
		in, err := mutate.Calls(src)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		for name, called := range in {
			calls[name] = append(calls[name], called...)
		}
	}
	return calls, nil
}

// reach is all that a test can call.
func reach(test string, calls map[string][]string) (map[string]bool, error) {
	file := filepath.Join(pebbles, "tests", test+".c")
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	own, err := mutate.Calls(string(src))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// A thread that returns from its function reaches thr_exit by spawn.S.
	open := calls["thr_create"]
	open = append(open, "thr_exit")
	for _, called := range own {
		open = append(open, called...)
	}
	all := map[string]bool{}
	for len(open) > 0 {
		name := open[0]
		open = open[1:]
		if !all[name] {
			all[name] = true
			open = append(open, calls[name]...)
		}
	}
	return all, nil
}

// plain is a file of the library without the mistakes that it can be built with.
func (l library) plain(file string) (string, error) {
	header, err := os.ReadFile(filepath.Join(filepath.Dir(file), "variant.h"))
	if err != nil {
		return "", err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	plain, err := mutate.Plain(string(src), mutate.Switches(string(header)))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return plain, nil
}

// mutants are those of one of the library's files.
func (l library) mutants(file string) ([]mutate.Mutant, error) {
	plain, err := l.plain(file)
	if err != nil {
		return nil, err
	}
	return mutate.Mutants(filepath.Base(file), plain, l.words)
}
