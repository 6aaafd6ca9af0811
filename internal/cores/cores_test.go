package cores

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for list, want := range map[string][]int{
		"0": {0}, "0-3": {0, 1, 2, 3}, "2,5-6": {2, 5, 6}, "7-7": {7}, "": nil, "a-b": nil,
	} {
		if got := parse(list); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	}
}

// TestAllowed: each of them can be asked for.
func TestAllowed(t *testing.T) {
	all := Allowed()
	if len(all) != runtime.NumCPU() {
		t.Errorf("%v, and the Go runtime counts %d", all, runtime.NumCPU())
	}
	for _, c := range all {
		if said, err := exec.Command("taskset", "-c", fmt.Sprint(c), "true").CombinedOutput(); err != nil {
			t.Errorf("processor %d: %v: %s", c, err, said)
		}
	}
}
