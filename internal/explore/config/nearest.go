package config

import "fmt"

// DidYouMean is a question that proposes the name nearest to a wrong one, or
// "" if none is near. The format (with one %s or %q) says how a name is
// written.
func DidYouMean(format, wrong string, names []string) string {
	best, distance := "", 1+len(wrong)/3
	for _, name := range names {
		if d := editDistance(wrong, name); d <= distance && (best == "" || d < distance) {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + fmt.Sprintf(format, best) + "?"
}

// editDistance is the number of letters to insert, drop, change or swap with
// their neighbour to make b of a (Levenshtein's distance with transpositions).
func editDistance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := row[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
