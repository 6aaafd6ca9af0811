package page

import "slices"

// A long story leaves out turns of a loop that are like others, and steps far from those that
// matter.

// same reports whether two rows say the same.
func (r *Row) same(o *Row) bool {
	return r.Differs+o.Differs == 0 && r.Thread == o.Thread && r.Text == o.Text && r.File == o.File && r.Line == o.Line && !r.Cause && !o.Cause && !r.Fails && !o.Fails
}

const longestTurn = 12

// fold keeps one of the turns of a loop that say the same.
func (s *story) fold() {
	var keep []int // rows that stay
	times := map[int][2]int{}
	for i := 0; i < len(s.rows); {
		n, period := s.turns(i)
		if n < 3 {
			keep = append(keep, i)
			i++
			continue
		}
		times[i] = [2]int{n, i + period - 1}
		for k := range period {
			keep = append(keep, i+k)
		}
		i += n * period
	}
	for i, t := range times {
		s.rows[i].Times, s.rows[i].Until = t[0], t[1]
	}
	s.only(keep)
}

// turns says how often the rows from i on are repeated, and how many they are.
func (s *story) turns(i int) (n, period int) {
	for period = 1; period <= longestTurn; period++ {
		n = 1
		for s.repeats(i, i+n*period, period) {
			n++
		}
		if n >= 3 {
			return n, period
		}
	}
	return 1, 1
}

func (s *story) repeats(a, b, period int) bool {
	if b+period > len(s.rows) {
		return false
	}
	for k := range period {
		if !s.rows[a+k].same(&s.rows[b+k]) {
			return false
		}
	}
	return true
}

// shorten leaves rows out of a long story: what is far from each switch, from the cause
// and from the end.
func (s *story) shorten() {
	if len(s.rows) <= maxRows {
		return
	}
	for near := 8; ; near-- {
		var keep []int
		for i := range s.rows {
			if near == 0 || s.matters(i, near) {
				keep = append(keep, i)
			}
		}
		if near == 0 { // switches alone are too many: the last ones tell how it failed
			keep = keep[len(keep)-maxRows:]
		}
		if len(keep) <= maxRows {
			s.cut = len(s.rows) - len(keep)
			s.only(keep)
			return
		}
	}
}

func (s *story) matters(i, near int) bool {
	for k := max(0, i-near); k <= min(len(s.rows)-1, i+near); k++ {
		if r := &s.rows[k]; r.Cause || r.Differs > 0 || r.Block != "" || r.Fails || r.Preempt || k > 0 && s.rows[k-1].Thread != r.Thread {
			return true
		}
	}
	return false
}

// only keeps some rows, in their order.
func (s *story) only(keep []int) {
	at := make([]int, len(s.rows)) // where a row is now; -1: it isn't
	for i := range at {
		at[i] = -1
	}
	var rows []Row
	for _, i := range keep {
		at[i] = len(rows)
		rows = append(rows, s.rows[i])
	}
	for i := range rows {
		r := &rows[i]
		r.After = slices.DeleteFunc(mapped(r.After, at), func(n int) bool { return n < 0 })
		r.Woke = slices.DeleteFunc(mapped(r.Woke, at), func(n int) bool { return n < 0 })
		if r.Times > 0 {
			if r.Until = at[r.Until]; r.Until < 0 {
				r.Times = 0
			}
		}
	}
	var races [][2]int
	for _, c := range s.races {
		if a, b := at[c[0]], at[c[1]]; a >= 0 && b >= 0 {
			races = append(races, [2]int{a, b})
		}
	}
	s.rows, s.races = rows, races
}

func mapped(list, at []int) (out []int) {
	for _, n := range list {
		out = append(out, at[n])
	}
	return out
}
