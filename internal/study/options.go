package main

import (
	"path/filepath"
	"slices"
	"strings"

	"landgo/internal/mutate"
)

// The paper's restrictions in each test (§6.1), in landgo's options.

// threads are the functions in which its tests of mutexes, semaphores and signals are
// not preempted.
var threads = []string{"--without", "thr_create", "--without", "thr_exit", "--without", "thr_join"}

// args are the options of a pair, the same for all contestants.
//
// The paper's race detector takes mutexes as correct but in mx_test. No test about
// mutexes, semaphores or signals is preempted in thr_create, thr_exit and thr_join.
// --without does the latter in the tests of mutexes. Elsewhere --trust does both,
// since landgo would go on to count what a function that it doesn't preempt in leaves
// unexamined. spin's thr_exit gives a mutex back by hand, so with it threads have to
// be trusted too, and its tests of joining trust nothing.
func (p pair) args() []string {
	switch f := familyOf[p.test]; {
	case p.kernel():
		return []string{"--snapshot", "off", "--cmdline", "test=" + strings.TrimPrefix(p.test, kernelTest)}
	case f == "mx":
		return threads
	case f == "sem" || f == "signal" || f == "malloc" || p.library == "spin" && f != "join":
		return []string{"--trust", "mutex,threads"}
	case p.library == "spin":
		return nil
	}
	return []string{"--trust", "mutex"}
}

// The paper's other half are Pintos kernels under tests of scheduling, of sleep and of
// waiting for a process. Ours is guests/kernel with the mistakes that it can be built
// with, under its tests of the same.
const (
	kernels    = "bin/guests/kernel"
	kernelTest = "kernel_"
)

func (p pair) kernel() bool { return p.library == "kernel" }

// kernelPairs are the kernel as it is, and with each mistake, under all its tests.
func kernelPairs() (list []pair, err error) {
	files, err := filepath.Glob(filepath.Join(kernels, "kernel*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, f := range files {
		var m *mutate.Mutant
		if _, mistake, ok := strings.Cut(filepath.Base(f), "-"); ok {
			m = &mutate.Mutant{Operator: "by_hand", File: "variant.h", Detail: mistake}
		}
		for _, family := range families {
			for _, t := range family.tests {
				if strings.HasPrefix(t, kernelTest) {
					list = append(list, pair{"kernel", m, t})
				}
			}
		}
	}
	return list, nil
}

// built is where a pair's kernel is: make guests has built it.
func (p pair) built() string {
	if p.mutant == nil {
		return filepath.Join(kernels, "kernel")
	}
	return filepath.Join(kernels, "kernel-"+p.mutant.Detail)
}
