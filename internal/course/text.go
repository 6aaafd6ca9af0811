package course

import (
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/result"
)

// Bound is the number of preemptions within which a result says that all was explored.
func Bound(r *result.Result) (k int, ok bool) {
	if r.Verdict == result.Budget {
		if r.BoundedAt == nil || !strings.HasPrefix(r.BoundedBy, "preempt=") {
			return 0, false
		}
		return *r.BoundedAt, true
	}
	for _, part := range strings.Split(r.Bound, ",") {
		if n, found := strings.CutPrefix(part, "preempt="); found {
			k, err := strconv.Atoi(n)
			return k, err == nil
		}
	}
	return 0, false
}

// String has no more digits than are needed: "10", "2.5".
func (p Points) String() string { return thousandths(int64(p)) }

func (p Percent) String() string { return thousandths(int64(p)) + "%" }

func thousandths(n int64) string {
	text := fmt.Sprintf("%d.%03d", n/1000, n%1000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// parseThousandths reads a number of at most three decimals that isn't negative.
func parseThousandths(text string, most int64) (int64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 31)
	if err != nil || len(part) > 3 || strings.HasSuffix(text, ".") {
		return 0, false
	}
	rest, err := strconv.ParseUint((part + "000")[:3], 10, 31)
	if err != nil || int64(n)*1000+int64(rest) > most {
		return 0, false
	}
	return int64(n)*1000 + int64(rest), true
}
