package por

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Measure is a quantity of an execution that a bound limits.
type Measure string

const (
	// Preempt: switches away from a thread that could have gone on, and isn't
	// at a yield, its end or an exact spin.
	Preempt Measure = "preempt"
	// Fair: by how many voluntary yields a thread may be ahead of another that
	// could run (Coons, Musuvathi and McKinley 2013, §2.5.2).
	Fair Measure = "fair"
	// Rounds: round-robin rounds that the execution graph needs (Marmanis and
	// Vafeiadis 2023, Algorithm 1).
	Rounds Measure = "rounds"
	// Delay: deviations from a deterministic scheduler (Emmi, Qadeer and
	// Rakamaric 2011).
	Delay Measure = "delay"
	// Switches: changes of the running thread, wanted or not.
	Switches Measure = "switches"
)

// Measures lists them.
var Measures = []Measure{Preempt, Fair, Rounds, Delay, Switches}

// Bound allows executions with at most Limit of Measure.
type Bound struct {
	Measure Measure
	Limit   int // 0 or more
}

func (b Bound) String() string { return fmt.Sprintf("%s=%d", b.Measure, b.Limit) }

// Bounds are those that an execution has to be within, each measure once, in
// the order of Measures. Nil is none.
type Bounds []Bound

// ParseBounds reads a comma list: "preempt=2,fair=5". "none" and "" are none.
func ParseBounds(text string) (Bounds, error) {
	if text == "" || text == "none" {
		return nil, nil
	}
	var bounds Bounds
	for _, part := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		m := Measure(key)
		if m.rank() < 0 {
			return nil, fmt.Errorf("no bound %q: use %s", part, strings.Join(measureNames(), ", "))
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("bound %q: want %s=N with N of 0 or more", part, key)
		}
		if _, twice := bounds.Limit(m); twice {
			return nil, fmt.Errorf("bound %s is given twice", key)
		}
		bounds = append(bounds, Bound{m, int(n)})
	}
	sort.Slice(bounds, func(i, j int) bool { return bounds[i].Measure.rank() < bounds[j].Measure.rank() })
	return bounds, nil
}

func (m Measure) rank() int {
	for i, known := range Measures {
		if m == known {
			return i
		}
	}
	return -1
}

func measureNames() (names []string) {
	for _, m := range Measures {
		names = append(names, string(m)+"=N")
	}
	return names
}

// Limit is the bound by m, if there is one.
func (b Bounds) Limit(m Measure) (limit int, ok bool) {
	for i := range b {
		if b[i].Measure == m {
			return b[i].Limit, true
		}
	}
	return 0, false
}

// String is the text that ParseBounds reads.
func (b Bounds) String() string {
	if len(b) == 0 {
		return "none"
	}
	var parts []string
	for _, one := range b {
		parts = append(parts, one.String())
	}
	return strings.Join(parts, ",")
}
