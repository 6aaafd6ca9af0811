package profile

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestParse: what a profile's text means.
func TestParse(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`# a comment
name: guards
functions:
  lock: {name: enter, arguments: 2}   # one function
  unlock: [leave, leave_quickly]
  panic:
    - name: die
      arguments: [3]
  none: exit
trust: [log_line, log_flush]
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Binding{
		{Name: "enter", Role: MutexLock, Own: true, Args: []int{2}, Line: 4},
		{Name: "leave", Role: MutexUnlock, Own: true, Line: 5},
		{Name: "leave_quickly", Role: MutexUnlock, Own: true, Line: 5},
		{Name: "die", Role: Panic, Own: true, Args: []int{3}, Line: 7},
		{Name: "exit", Role: NoRole, Own: true, Line: 9},
	}
	if !slices.EqualFunc(p.Bindings, want, func(a, b Binding) bool {
		return a.Name == b.Name && a.Role == b.Role && a.Own == b.Own && a.Line == b.Line && slices.Equal(a.Args, b.Args)
	}) {
		t.Errorf("bindings %+v\nwant %+v", p.Bindings, want)
	}
	if p.Name != "guards" || !slices.Equal(p.Trust, []Named{{Name: "log_line", Line: 10}, {Name: "log_flush", Line: 10}}) {
		t.Errorf("name %q, trust %v", p.Name, p.Trust)
	}
	base := &Profile{Name: "base", Bindings: join(bind(ProcessExit, "exit"), bind(MutexLock, "lock"))}
	over := p.Over(base)
	if n := len(over.Bindings); n != 6 || over.Bindings[n-1].Name != "lock" {
		t.Errorf("over a base with exit and lock: %+v", over.Bindings)
	}
}

const kernelThread = "kernel:\n  booted: a\n  thread: {state: s, ready: [1, RUNS], ended: 3}\n"

// TestParseKernelProfile: what a kernel's section means.
func TestParseKernelProfile(t *testing.T) {
	thread := strings.NewReplacer("state: s", "size: 64, state: s or 4", "RUNS", "RUNS or 0x2").Replace(kernelThread)
	p, err := Parse("p.yaml", []byte(thread+`  current: cpu.thread
  idle: [i, j]
  created: {name: wake, arguments: 2}
  sleep: [{name: nap, arguments: 1, size: 8}, doze]
  ready-list:
  - {variable: r, first: head.next, link: elem, next: elem.next}
  - {variable: q, next: 8}
  table: threads
  scheduling: r
  scroll: copy
  loader:
    entry: main
    above: 0xc0000000
    tables: 0xf000
    stack: stack_end
    memory: 16
    memory-pages: pages
    arguments: {at: 0x7d3a, room: 132}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := *p.Kernel
	want := KernelProfile{
		Line: 1, Booted: Named{Name: "a", Line: 2},
		Thread:  ThreadProfile{State: Named{Name: "s", Line: 3, Or: "4"}, Size: 64, Ready: []Named{{Name: "1", Line: 3}, {Name: "RUNS", Line: 3, Or: "0x2"}}, Ended: []Named{{Name: "3", Line: 3}}},
		Current: Named{Name: "cpu.thread", Line: 4}, Idle: []Named{{Name: "i", Line: 5}, {Name: "j", Line: 5}},
		Created: []Binding{{Name: "wake", Own: true, Args: []int{2}, Line: 6}},
		Sleep:   []Binding{{Name: "nap", Own: true, Args: []int{1}, Size: 8, Line: 7}, {Name: "doze", Own: true, Line: 7}},
		Scroll:  []Named{{Name: "copy", Line: 13}},
		Loader: &LoaderProfile{
			Line: 14, Entry: Named{Name: "main", Line: 15}, Above: 0xc0000000, Tables: Named{Name: "0xf000", Line: 17}, Stack: Named{Name: "stack_end", Line: 18},
			Mapped: 16, MemoryPages: Named{Name: "pages", Line: 20}, Arguments: Named{Name: "0x7d3a", Line: 21}, ArgumentsLength: 132,
		},
		Ready: []ListProfile{
			{Named{Name: "r", Line: 9}, Named{Name: "head.next", Line: 9}, Named{Name: "elem.next", Line: 9}, Named{Name: "elem", Line: 9}},
			{Variable: Named{Name: "q", Line: 10}, Next: Named{Name: "8", Line: 10}},
		},
		Table: []Named{{Name: "threads", Line: 11}}, Scheduled: []Named{{Name: "r", Line: 12}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestBadProfiles: one line says what is wrong, and where.
func TestBadProfiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                  "p.yaml:1: a profile is a mapping with the keys name, functions, trust, allocators, sizes, kernel, for, optional; this is nothing",
		"- a":                                               "p.yaml:1: a profile is a mapping",
		"functions:\n  lock: a\nfunction: b":                `p.yaml:3: unknown key "function"`,
		"functions:\n  lok: a":                              `p.yaml:2: unknown role "lok" in functions`,
		"functions:\n  malloc: a":                           `p.yaml:2: unknown role "malloc" in functions`,
		"functions: lock":                                   "p.yaml:1: functions has to be a mapping from roles to functions; this is a single value",
		"functions:\n  lock:":                               "p.yaml:2: lock has to be a function or a list of functions; this is nothing",
		"functions:\n  lock:\n    - [a]":                    "p.yaml:3: want a name; this is a list",
		"functions:\n  lock:\n    nam: a":                   `p.yaml:3: unknown key "nam" of a function`,
		"functions:\n  lock: {arguments: 1}":                "p.yaml:2: the function has no name",
		"functions:\n  lock: a b":                           `p.yaml:2: "a b" can't be the name of a function or variable`,
		"functions:\n  lock: a\n  unlock: [a]":              "p.yaml:3: a has a role already, on line 2",
		"functions:\n  lock: a\n  lock: b":                  "p.yaml:3: ",
		"functions:\n  lock: {name: a, arguments: [1, 2]}":  "p.yaml:2: the role has 1 argument(s) that landgo looks at; arguments has 2",
		"functions:\n  lock: {name: a, arguments: 5}":       `p.yaml:2: want an argument's place from 1 to 4, got "5"`,
		"functions:\n  lock: {name: a, arguments: first}":   `p.yaml:2: want an argument's place from 1 to 4, got "first"`,
		"functions:\n  abort: {name: a, arguments: 1}":      "p.yaml:2: the role has no arguments that landgo looks at",
		"allocators: a":                                     "p.yaml:1: allocators has to be a mapping from names to allocators; this is a single value",
		"allocators:\n  p: a":                               "p.yaml:2: the allocator p has to be a mapping from roles to functions; this is a single value",
		"allocators:\n  p:\n    free: a":                    "p.yaml:2: the allocator p has no function that gives out memory, such as malloc",
		"allocators:\n  p:\n    maloc: a":                   `p.yaml:3: unknown key "maloc" of an allocator`,
		"allocators:\n  p:\n    malloc: {name: a, size: 0}": `p.yaml:3: want a size in bytes from 1 to 1073741824, got "0"`,
		"allocators:\n  p:\n    malloc: {name: a, size: 8, arguments: 1}": "p.yaml:3: the blocks have a size of their own, or it is among the arguments: not both",
		"allocators:\n  p:\n    malloc: a\n    free: {name: b, size: 8}":  `p.yaml:4: unknown key "size" of a function`,
		"allocators:\n  p:\n    malloc: a\n    free: a":                   "p.yaml:4: a has a role already, on line 3",
		"functions:\n  lock: a\nallocators:\n  p:\n    malloc: a":         "p.yaml:5: a has a role already, on line 2",
		"sizes: {mutx: 8}":                                      `p.yaml:1: unknown kind of object "mutx"`,
		"sizes: {mutex: -8}":                                    `p.yaml:1: want a size in bytes from 1 to 1073741824, got "-8"`,
		"sizes: {mutex: 65536}":                                 "p.yaml:1: a mutex has less than 65536 bytes",
		"kernel: a":                                             "p.yaml:1: kernel has to be a mapping; this is a single value",
		"kernel:\n  boot: a":                                    `p.yaml:2: unknown key "boot" of a kernel`,
		"kernel:\n  booted: a":                                  "p.yaml:1: the kernel has no thread with state, ready and ended",
		"kernel:\n  booted: [a]":                                "p.yaml:2: want a name; this is a list",
		"kernel:\n  idle: a":                                    "p.yaml:1: the kernel has no booted",
		"kernel:\n  thread: a":                                  "p.yaml:2: thread has to be a mapping with the keys [type state ready ended priority stack size channel parent resched]; this is a single value",
		"kernel:\n  thread: {stat: a}":                          `p.yaml:2: unknown key "stat" of a thread`,
		"kernel:\n  thread: {stack: 4000}":                      "p.yaml:2: want the size of a block at a multiple of its size, a power of 2, got 4000",
		"kernel:\n  thread: {ready: {a: b}}":                    "p.yaml:2: ready has to be a value or a list of values; this is a mapping",
		"kernel:\n  thread: {state: -1}":                        `p.yaml:2: want a field or its offset, below 65536, got "-1"`,
		"kernel:\n  memory: 4096":                               "p.yaml:2: want the machine's memory in MiB, up to 512, got 4096",
		kernelThread + "  current: c\n  table: t\n  input: i\n": "p.yaml:6: the kernel has input, and its thread no channel",
		"kernel:\n  ready-list: a":                              "p.yaml:2: ready-list has to be a mapping with the keys [variable first next link], or a list of such",
		"kernel:\n  ready-list: {variable: a}":                  "p.yaml:2: a list of threads has a variable and next",
		"kernel:\n  ready-list: [a]":                            "p.yaml:2: want a mapping with the keys [variable first next link]; this is a single value",
		"kernel:\n  ready-list: {head: a}":                      `p.yaml:2: unknown key "head" of a list of threads`,
		kernelThread:                                            "p.yaml:1: the kernel has neither a thread's stack nor current",
		kernelThread + "  current: c\n":                         "p.yaml:1: the kernel has no ready-list, created or table",
		strings.Replace(kernelThread, "}", ", stack: 4096}", 1) + "  current: c\n": "p.yaml:4: the running thread is known by current or by a thread's stack: not by both",
		"for: a":              "p.yaml:1: for has to be a mapping with the keys [machine symbols]; this is a single value",
		"for: {machine: arm}": `p.yaml:1: unknown machine "arm"`,
		"for:\n  symbol: a":   `p.yaml:2: unknown key "symbol" of for`,
		"optional: {a: b}":    "p.yaml:1: optional has to be a name or a list of names; this is a mapping",
		"functions:\n  unlock: {name: a, point: before}":     `p.yaml:2: unknown place "before" of a point`,
		"functions:\n  lock: {name: a, point: none}":         `p.yaml:2: unknown key "point" of a function`,
		"kernel:\n  sleep: {name: a, size: 8}":               "p.yaml:2: the function has a size, and no arguments",
		"kernel:\n  sleep: {name: a, arguments: 1, size: 2}": "p.yaml:2: want a number of ticks of 4 or 8 bytes, got 2",
		"kernel:\n  sleep: {nam: a}":                         `p.yaml:2: unknown key "nam" of a function`,
		"kernel:\n  sleep:":                                  "p.yaml:2: sleep has to be a function or a list of functions; this is nothing",
		"kernel:\n  thread: {state: a or b}":                 `p.yaml:2: want a number below 65536 behind "or", got "b"`,
		"kernel:\n  thread: {state: a b or 4}":               `p.yaml:2: "a b" can't be the name of a function or variable`,
		"kernel:\n  thread: {ready: [A or -1]}":              `p.yaml:2: want a number below 2147483647 behind "or", got "-1"`,
		"kernel:\n  thread: {size: 65536}":                   "p.yaml:2: want the size of a thread's structure, below 65536, got 65536",
		"kernel:\n  loader: a":                               "p.yaml:2: loader has to be a mapping with the keys",
		"kernel:\n  ends: {a: b}":                            "p.yaml:2: want a text, or a list of texts; this is a mapping",
		"kernel:\n  ends: [[a]]":                             "p.yaml:2: want a text; this is a list",
		"kernel:\n  loader: {tables: 4096}":                  "p.yaml:2: a loader with tables has stack",
		"kernel:\n  loader: {above: 4194304, memory: 4}":     "p.yaml:2: a loader without tables maps no memory: leave memory out",
		"kernel:\n  loader: {begin: a}":                      `p.yaml:2: unknown key "begin" of a loader`,
		"kernel:\n  loader: {above: 0x1000}":                 `p.yaml:2: want a distance of addresses, a multiple of 0x400000, got "0x1000"`,
		"kernel:\n  loader: {tables: 0x20000000}":            `p.yaml:2: want an address in the machine's memory, below 0x20000000, got "0x20000000"`,
		"kernel:\n  loader: {memory: 6}":                     "p.yaml:2: want the memory that is mapped in MiB, a multiple of 4 up to 512, got 6",
		"kernel:\n  loader:\n    arguments: 8":               "p.yaml:3: arguments has to be a mapping with the keys [at room]; this is a single value",
		"kernel:\n  loader:\n    arguments: {at: 8}":         "p.yaml:3: a loader's arguments have at and room",
		"kernel:\n  loader:\n    arguments: {room: 8192}":    "p.yaml:3: want room for arguments of up to 4096 bytes, got 8192",
		"kernel:\n  loader:\n    arguments: {to: 8}":         `p.yaml:3: unknown key "to" of a loader's arguments`,
		"trust: {a: b}":                                      "p.yaml:1: trust has to be a name or a list of names; this is a mapping",
		"name: [a]":                                          "p.yaml:1: name has to be a single value; this is a list",
		"name: &x a\ntrust: *x":                              "p.yaml:1: a profile is plain YAML, without anchor",
		"name: !!str a":                                      "p.yaml:1: a profile is plain YAML, without tag",
		"name: a\n---\nname: b":                              "p.yaml:3: a profile is one YAML document",
		"name: \"a\ntrust: b":                                "p.yaml:1: ",
		"name: a\n\ttrust: b":                                "p.yaml:2: ",
		"trust: " + strings.Repeat("[", 100):                 "p.yaml:1: nested too deeply",
		"trust:\n" + strings.Repeat("- ", 9999):              "p.yaml:2: nested too deeply",
		"a: " + strings.Repeat("x", maxProfile):              "p.yaml: has ",
	} {
		_, err := Parse("p.yaml", []byte(text))
		var e *Error
		switch {
		case err == nil:
			t.Errorf("%.60q is taken for a profile", text)
		case !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) || strings.ContainsRune(err.Error(), '\n'):
			t.Errorf("%.60q: %q, want %q", text, err, want)
		}
	}
}

// FuzzProfile: any text gives a profile or one line, soon.
//
//	go test ./internal/image/profile -fuzz FuzzProfile -fuzztime 60s
func FuzzProfile(f *testing.F) {
	for _, seed := range []string{
		"name: a\nfunctions:\n  lock: {name: b, arguments: [1]}\n  unlock: [c, d]\ntrust: e\n",
		"allocators:\n  p:\n    malloc: {name: a, size: 8}\n    free: [b, c]\n    memory: d\n    inside: e\n",
		"for: {machine: i386, symbols: [a]}\noptional: b\n" + kernelThread + "  created: c\n  current: d\n  sleep: {name: e, arguments: 1}\n  scroll: f\n  loader: {entry: a, above: 0xc0000000, tables: 0xf000, stack: s, arguments: {at: 8, room: 8}}\n",
		kernelThread + "  current: c\n  ready-list: [{variable: r, next: 8}]\n  idle: i\n", "kernel:\n  thread: {stack: 4096, priority: a.b}\n  sleepers: {variable: v, first: f, link: l, next: n}\n  table: [a]\n",
		"functions:\n  panic:\n  - name: die\n    arguments: 2\n", "a: &b [*b]", "? [a]\n: b", "a: |\n  b\n", "<<: {a: b}", "- - - a", "{", "\"", "a: !!binary x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		p, err := Parse("p.yaml", text)
		var e *Error
		switch {
		case (p == nil) != (err != nil):
			t.Errorf("both a profile and an error, or neither: %v, %v", p, err)
		case err != nil && !errors.As(err, &e):
			t.Errorf("%v isn't a Error", err)
		case err != nil && (e.Text == "" || strings.ContainsAny(err.Error(), "\n\x00")):
			t.Errorf("the error isn't a line: %q", err)
		case p != nil:
			p.Over(&P2)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v for %d bytes", took, len(text))
		}
	})
}
