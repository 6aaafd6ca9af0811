// Package confine takes from the engine's process what it doesn't need, before it sees
// the guest's first byte. The guest's code is translated in that process: should it
// break out of the emulator, it finds no file, no network, no other process.
//
// The front confines the thread that starts the engine, which inherits it: no new privileges, and
// landlock, which leaves it its libraries to read. When the engine has opened what it needs, it
// confines itself: another user where it is root, limits, and a filter of system calls. Each
// layer may be missing where the kernel or a container hasn't got it; that is reported, and the
// others stand.
//
// # The files
//
//	the engine   start (what the front does before), inside (what it does itself), filter (system calls),
//	             other (elsewhere than on Linux)
//	builds       build (one that isn't trusted), buildfilter, processes (what it has started)
package confine

import (
	"fmt"
	"strings"
	"time"
)

// Level says what happens where a layer is missing.
type Level string

const (
	Best    Level = ""        // go on, and say so
	Require Level = "require" // refuse to run
	Off     Level = "off"     // confine nothing
)

// Levels lists them as --confine takes them.
var Levels = []string{"best", string(Off), string(Require)}

// ParseLevel reads a level.
func ParseLevel(text string) (Level, error) {
	switch text {
	case "best":
		return Best, nil
	case string(Require), string(Off):
		return Level(text), nil
	}
	return "", fmt.Errorf("want %s, got %q", strings.Join(Levels, ", "), text)
}

func (l Level) String() string {
	if l == Best {
		return "best"
	}
	return string(l)
}

// Missing is a layer that isn't there, and why.
type Missing struct {
	// Layer is landlock, a filter of system calls, another user, limits.
	Layer string `json:"layer"`
	// Why is the system's reason.
	Why string `json:"why"`
}

func (m Missing) String() string { return m.Layer + " (" + m.Why + ")" }

// Tell names layers in one line.
func Tell(all []Missing) string {
	var parts []string
	for _, m := range all {
		parts = append(parts, m.String())
	}
	return strings.Join(parts, ", ")
}

// Limits are the kernel's limits for an engine. Memory isn't among them: a machine
// reserves terabytes of addresses that it never touches, and the kernel counts only
// those. The front watches what is resident, and ends an engine that has too much.
type Limits struct {
	// File is the most bytes that a file may have. Files is how many descriptors there
	// may be.
	File, Files uint64
	// Processor is how much time the engine may have of all processors; 0: no limit.
	Processor time.Duration
}
