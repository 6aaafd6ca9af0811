package report

import (
	"fmt"

	"landgo/internal/result"
)

// maxRaces is how many races are shown: those that came in both orders.
const maxRaces = 3

// races lists unordered accesses. Candidates seen in one order only are
// counted: something that isn't synchronisation may order them. So are those that
// were ordered in each execution, by a lock that is made of atomic operations, say.
func (p *page) races(r *result.Result) {
	var both []*result.RacePair
	seen := "seen in one order"
	for i := range r.Races {
		switch pair := &r.Races[i]; {
		case pair.BothOrders && pair.Ordered:
			seen = "seen in one order, or ordered by synchronisation so far"
		case pair.BothOrders:
			both = append(both, pair)
		}
	}
	if len(both) == 0 {
		return
	}
	p.blank()
	text := fmt.Sprintf("Data races: %s of accesses that came in both orders, with nothing between that orders them", count(uint64(len(both)), "pair"))
	if n := r.RaceCount - uint64(len(both)); n > 0 {
		text += fmt.Sprintf(" (and %s %s)", count(n, "candidate"), seen)
	}
	p.wrap("", text+":")
	for _, pair := range both[:min(maxRaces, len(both))] {
		class := ""
		if r.Verdict != result.Buggy && pair.Class != "" { // the bug says the rest
			class = fmt.Sprintf(" (%s)", told(pair.Class))
			if pair.VerifiedAt != "" {
				class = fmt.Sprintf(" (%s at %s)", told(pair.Class), clean(jobName(pair.VerifiedAt)))
			}
		}
		p.wrap("  ", fmt.Sprintf("%s: %s; %s%s", clean(p.names.In(pair.Variable)), p.brief(&pair.First), p.brief(&pair.Second), class))
	}
	if n := len(both) - maxRaces; n > 0 {
		p.line("  and %s", count(uint64(n), "other"))
	}
}

// told is a race's class in words. A race that made no execution fail isn't harmless
// for that: the program may not check what it decides.
func told(class string) string {
	if class == "benign" {
		return "no symptom seen"
	}
	return class
}
