package linear

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// event is the beginning or the end of a call of a history.
type event struct {
	call   int
	end    bool
	result int64
}

// plain is a sequential object written for this test alone.
type plain struct {
	kind   int64
	limit  int
	values []int64
}

func (p *plain) do(op, arg int64) (int64, bool) {
	switch {
	case p.kind == int64(Register) && op == Write:
		p.values = []int64{arg}
		return 0, true
	case p.kind == int64(Register):
		old := int64(p.limit)
		if len(p.values) > 0 {
			old = p.values[0]
		}
		switch op {
		case Swap:
			p.values = []int64{arg}
		case Increase:
			p.values = []int64{old + arg}
		}
		return old, false
	case p.kind == int64(SetOf):
		at := slices.Index(p.values, arg)
		if op == Add && at < 0 {
			p.values = append(p.values, arg)
			return 1, false
		}
		if op == Remove && at >= 0 {
			p.values = slices.Delete(slices.Clone(p.values), at, at+1)
			return 1, false
		}
		if op == Contains && at >= 0 {
			return 1, false
		}
		return 0, false
	case op == Put && p.limit > 0 && len(p.values) == p.limit:
		return 0, false
	case op == Put:
		p.values = append(slices.Clone(p.values), arg)
		return 1, p.limit == 0
	case len(p.values) == 0:
		return Empty, false
	}
	at := 0
	if p.kind == int64(Stack) {
		at = len(p.values) - 1
	}
	v := p.values[at]
	p.values = slices.Delete(slices.Clone(p.values), at, at+1)
	return v, false
}

// explains says by trying every order whether one explains a history: the judge.
func explains(kind int64, limit int, calls []Call, history []event) bool {
	begin, end, result := map[int]int{}, map[int]int{}, map[int]int64{}
	for i, e := range history {
		if e.end {
			end[e.call], result[e.call] = i, e.result
		} else {
			begin[e.call] = i
		}
	}
	var try func(order []int) bool
	try = func(order []int) bool {
		p, in := &plain{kind: kind, limit: limit}, map[int]bool{}
		for k, c := range order {
			for _, before := range order[k+1:] { // whatever was over before this began comes first
				if e, over := end[before]; over && e < begin[c] {
					return false
				}
			}
			got, free := p.do(calls[c].Op, calls[c].Arg)
			if _, over := end[c]; over && !free && got != result[c] {
				return false
			}
			in[c] = true
		}
		all := true
		for c := range end {
			all = all && in[c]
		}
		if all {
			return true
		}
		for c := range begin {
			if !in[c] && try(append(slices.Clone(order), c)) {
				return true
			}
		}
		return false
	}
	return try(nil)
}

// TestHistories: at each end, a random history has a configuration left exactly if some
// order of its calls, found by trying all, explains the results so far.
func TestHistories(t *testing.T) {
	explained, not := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.Int64Range(int64(Queue), int64(Register)).Draw(t, "kind")
		limit := rapid.IntRange(0, 2).Draw(t, "limit")
		if kind == int64(SetOf) {
			limit = 0
		}
		ops := map[int64][]int64{int64(Queue): {Put, Put, Take}, int64(Stack): {Put, Put, Take}, int64(SetOf): {Add, Remove, Contains}, int64(Register): {Write, Read, Read, Swap, Increase}}[kind]
		spec, err := New(kind, int64(limit))
		if err != nil {
			t.Fatal(err)
		}
		var calls []Call
		var open []int
		var history []event
		sets := map[int64]Set{}
		over := map[int]bool{}
		for n := rapid.IntRange(1, 10).Draw(t, "events"); n > 0; n-- {
			if len(open) == 0 || len(open) < 3 && len(calls) < 5 && rapid.Bool().Draw(t, "begins") {
				open = append(open, len(calls))
				history = append(history, event{call: len(calls)})
				calls = append(calls, Call{len(calls), rapid.SampledFrom(ops).Draw(t, "op"), rapid.Int64Range(1, 2).Draw(t, "arg")})
				continue
			}
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			c := calls[open[i]]
			open = slices.Delete(open, i, i+1)
			result := rapid.SampledFrom([]int64{0, 1, 1, 2, 2, Empty}).Draw(t, "result")
			part := spec.Part(c.Op, c.Arg)
			set, found := sets[part]
			if !found {
				if set, err = Start(spec); err != nil {
					t.Fatal(err)
				}
			}
			var now []Call
			for _, other := range calls {
				if !over[other.ID] && spec.Part(other.Op, other.Arg) == part {
					now = append(now, other)
				}
			}
			to, could, err := set.End(spec, now, c.ID, spec.Normal(c.Op, result))
			if err != nil {
				t.Fatal(err)
			}
			over[c.ID] = true
			sets[part] = to
			history = append(history, event{c.ID, true, spec.Normal(c.Op, result)})
			want := explains(kind, limit, calls, history)
			if got := len(to) > 0; got != want {
				t.Fatalf("kind %d, limit %d: calls %v, history %v: linearizable %v, want %v", kind, limit, calls, history, got, want)
			}
			if !want {
				not++
				for _, r := range could {
					history[len(history)-1].result = r
					if !explains(kind, limit, calls, history) {
						t.Fatalf("calls %v, history %v: result %d is said to be possible", calls, history, r)
					}
				}
				return
			}
			explained++
		}
	})
	if explained < 50 || not < 20 {
		t.Errorf("%d histories were explained, %d weren't", explained, not)
	}
}
