// Package corrupt makes hostile files of good ones, for tests: not noise, which
// parsers refuse at once, but files that are right but for a few fields. It
// knows the fields of an ELF file, of its debug information, of JSON, of YAML
// and of landgo's own binary forms, and typical wrong values of such fields.
//
// A case is a function of the good file and of its number, so a failure names the
// number and comes again.
package corrupt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// A Mutator makes the variant of a good file that a generator chooses.
type Mutator func(good []byte, r *rand.Rand) []byte

// Variant is the n-th.
func Variant(m Mutator, good []byte, n int) []byte {
	return m(append([]byte(nil), good...), rand.New(rand.NewPCG(uint64(n), 0x1a9d60)))
}

// Count is how many cases a test runs: so many as it says, which take seconds, or
// its part of the number in LANDGO_CORRUPT. share is the part, in percent.
func Count(t *testing.T, usual, share int) int {
	t.Helper()
	text := os.Getenv("LANDGO_CORRUPT")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("LANDGO_CORRUPT: %v", err)
	}
	return max(n*share/100, usual)
}

// Bound is what a parser may take for a file.
type Bound struct {
	Time          time.Duration
	Fixed, Factor uint64 // bytes allocated: Fixed, and Factor for each byte of the file
}

// Run calls f with the variants of a good file, and reports a panic, and what takes
// more than it may.
func Run(t *testing.T, name string, m Mutator, good []byte, cases int, b Bound, f func(data []byte) error) {
	t.Helper()
	bad := 0
	for n := range cases {
		data := Variant(m, good, n)
		if err := b.call(data, f); err != nil {
			t.Errorf("%s, case %d (%d bytes): %v", name, n, len(data), err)
			if dir := os.Getenv("LANDGO_CORRUPT_DIR"); dir != "" {
				os.WriteFile(fmt.Sprintf("%s/%s.%d", dir, name, n), data, 0o644)
			}
			if bad++; bad == 10 {
				t.Fatalf("%s: no further cases", name)
			}
		}
	}
}

func (b Bound) call(data []byte, f func(data []byte) error) (err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 4096)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
			return
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		switch used := after.TotalAlloc - before.TotalAlloc; {
		case err != nil:
		case took > b.Time:
			err = fmt.Errorf("it took %v", took)
		case used > b.Fixed+b.Factor*uint64(len(data)):
			err = fmt.Errorf("it took %d bytes of memory", used)
		}
	}()
	return f(data)
}

// boundary is a value that a field of so many bytes is got wrong by. size is the
// file's.
func boundary(r *rand.Rand, bytes, size int, old uint64) uint64 {
	bits := uint(8 * bytes)
	values := []uint64{
		0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 47, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 7, ^uint64(4095),
		uint64(size), uint64(size) - 1, uint64(size) + 1, uint64(size) * 2, 4095, 4096, 4097,
		old + 1, old - 1, old * 2, old / 2, -old, old ^ 1<<(r.Uint64()%uint64(bits)), old << 8, r.Uint64(),
	}
	v := values[r.IntN(len(values))]
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// put writes a number of so many bytes, the lowest first.
func put(b []byte, at, bytes int, v uint64) {
	for i := 0; i < bytes && at+i < len(b); i++ {
		b[at+i] = byte(v >> (8 * i))
	}
}

func get(b []byte, at, bytes int) (v uint64) {
	for i := bytes - 1; i >= 0; i-- {
		v <<= 8
		if at+i < len(b) {
			v |= uint64(b[at+i])
		}
	}
	return v
}
