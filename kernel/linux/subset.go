package linux

import "math"

// Which of several waiters leave a queue is a choice. A choice of n of m is a
// number below binomial(m, n) in the combinatorial number system (Lehmer 1964):
// 0 takes the first n. A call that picks several times has the product of its
// choices' numbers as outcomes and decodes them one after the other, the first
// pick as the lowest digit.

// maxOutcomes bounds the outcomes of one call.
const maxOutcomes = 1 << 16

// choices is the number of ways to take n of m, saturating above maxOutcomes.
func choices(m, n uint64) uint64 {
	if n >= m {
		return 1
	}
	n = min(n, m-n)
	r := uint64(1)
	for i := uint64(0); i < n; i++ {
		if r > math.MaxUint64/(m-i) {
			return maxOutcomes + 1
		}
		r = r * (m - i) / (i + 1)
		if r > maxOutcomes {
			return maxOutcomes + 1
		}
	}
	return r
}

// product multiplies numbers of outcomes, saturating above maxOutcomes.
func product(a, b uint64) uint64 {
	if a > maxOutcomes || b > maxOutcomes || a*b > maxOutcomes {
		return maxOutcomes + 1
	}
	return a * b
}

// pick splits the next digit off the choice and decodes it: whether each of m
// is taken.
func pick(choice *uint64, m, n uint64) []bool {
	taken := make([]bool, m)
	if n >= m {
		for i := range taken {
			taken[i] = true
		}
		return taken
	}
	all := choices(m, n)
	rank := *choice % all
	*choice /= all
	// Lexicographic: those subsets come first that take the first element.
	for i := uint64(0); i < m && n > 0; i++ {
		with := choices(m-i-1, n-1)
		if rank < with {
			taken[i] = true
			n--
		} else {
			rank -= with
		}
	}
	return taken
}
