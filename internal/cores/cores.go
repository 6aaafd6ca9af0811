// Package cores says which processors this process may use. A container's or a
// batch system's share needn't begin with number 0, nor be without gaps.
package cores

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Allowed lists them by number, upwards.
func Allowed() []int {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for _, line := range strings.Split(string(status), "\n") {
			if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
				if all := parse(strings.TrimSpace(list)); len(all) > 0 {
					return all
				}
			}
		}
	}
	var all []int
	for c := range runtime.NumCPU() {
		all = append(all, c)
	}
	return all
}

// parse reads a list as the kernel writes it: "0-2,5".
func parse(list string) (all []int) {
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil {
			return nil
		}
		for c := from; c <= to; c++ {
			all = append(all, c)
		}
	}
	return all
}
