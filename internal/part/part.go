// Package part divides the rows of tests among runs of `make test`. Each row is a program of its
// own to build and to run, and all of them together take half an hour. The part is the commit's
// (Makefile), so a commit's tests are the same each time, and eight commits in a row have them
// all. Without LANDGO_PART, as `go test` alone has it, every row runs.
package part

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Variable names the part in the environment: "2/8" is the second of eight.
const Variable = "LANDGO_PART"

// Reason begins what a row says that another part has.
const Reason = "another part's row"

var chosen = sync.OnceValues(func() (Part, error) { return Parse(os.Getenv(Variable)) })

// had are the names of tests that the part has.
var had sync.Map

// Row leaves a test out that another part has. It goes by the test's name; but a test
// that has asked, and goes on, has its subtests too.
func Row(t testing.TB) {
	t.Helper()
	p, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	name := t.Name()
	for i := range len(name) {
		if name[i] == '/' {
			if _, whole := had.Load(name[:i]); whole {
				return
			}
		}
	}
	if !p.Has(name) {
		t.Skip(Reason)
	}
	had.Store(name, true)
}

// Part is one of several, from 1; of none, it has everything.
type Part struct{ at, of uint32 }

// Parse reads a part as Variable has it. "" is the whole.
func Parse(text string) (Part, error) {
	var p Part
	if text == "" {
		return p, nil
	}
	if n, err := fmt.Sscanf(text+".", "%d/%d.", &p.at, &p.of); err != nil || n != 2 || p.at < 1 || p.at > p.of {
		return Part{}, fmt.Errorf("%s=%s: give a part of a number of parts, as 2/8", Variable, text)
	}
	return p, nil
}

// Has says whether a row is the part's. Exactly one of several parts has it.
func (p Part) Has(row string) bool {
	if p.of == 0 {
		return true
	}
	h := sha256.Sum256([]byte(row))
	return binary.LittleEndian.Uint32(h[:])%p.of == p.at-1
}
