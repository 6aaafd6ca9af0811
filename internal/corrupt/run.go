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

// Count is how many cases a test runs: this many as it says, which take seconds, or its part of
// the number in LANDGO_CORRUPT. share is the part, in percent.
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

// Bound is the most that a parser may take for a file.
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
