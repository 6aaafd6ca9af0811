package spins

import (
	"fmt"
	"testing"

	"landgo/internal/trace"
)

// exchanger is a thread without a machine, before a load of a word and an exchange of it behind that.
type exchanger struct {
	load     func(v uint64) HintEnd
	exchange func(v, w uint64) HintEnd // v was loaded, and w is found
	found    uint64
	reads    bool // it reads what it has left on its stack
	told     bool
}

func (e *exchanger) Load(v uint64, before, on Apart) *HintEnd {
	e.found, e.told = v, e.told || e.reads && len(before)+len(on) > 0
	end := e.load(v)
	end.Access = trace.Access{PC: 1}
	return &end
}

func (*exchanger) Back() {}

func (e *exchanger) Exchange(w uint64) *HintEnd {
	end := e.exchange(e.found, w)
	end.Access = trace.Access{PC: 2}
	return &end
}

func (e *exchanger) Told() (told bool) {
	told, e.told = e.told, false
	return told
}

func (*exchanger) Owns(at uint64) bool { return at >= 0x100 }

// TestSurveyHint: of which loads and exchanges the two are one step, and with which values that is in vain.
func TestSurveyHint(t *testing.T) {
	before := Poise{}                                                  // the thread is before its load
	loaded := func(v uint64) Poise { return Poise{PC: 2, Effects: v} } // behind it, with a value in a register
	gone := Poise{PC: 3}
	stands := func(value uint64, p Poise) HintEnd { return HintEnd{OK: true, Value: value, Poise: p} }
	on := func(v uint64) HintEnd { return HintEnd{OK: true, Value: v, Before: true, Poise: loaded(v)} }
	// add adds one by compare-and-exchange, and goes back to its load where another value is found.
	add := func(v, w uint64) HintEnd {
		if v == w {
			return stands(w+1, gone)
		}
		return stands(w, before)
	}
	all := func(is bool, values ...uint64) map[uint64]bool {
		m := map[uint64]bool{}
		for _, v := range values {
			m[v] = is
		}
		return m
	}
	left := func(b byte, p Poise) Poise {
		p.Memory = memory(b)
		return p
	}
	for _, tc := range []struct {
		what     string
		e        exchanger
		good     bool
		on, vain map[uint64]bool
		bytes    int // of its stack, by which it could be told how often the exchange has failed
	}{
		{"a counter", exchanger{load: on, exchange: add}, true, all(true, 5, 6, 7), all(false, 5, 6, 7), 0},
		{"a failure that leads to the exchange again, with what it found", exchanger{load: on, exchange: func(v, w uint64) HintEnd {
			if v == w {
				return stands(w+1, gone)
			}
			return HintEnd{OK: true, Value: w, Before: true, Poise: loaded(w)}
		}}, true, all(true, 5, 6, 7), all(false, 5, 6, 7), 0},
		{"a lock that is looked at first", exchanger{load: func(v uint64) HintEnd {
			if v == 5 {
				return on(v)
			}
			return stands(v, before)
		}, exchange: func(v, w uint64) HintEnd {
			if w == 5 {
				return stands(1, gone)
			}
			return stands(w, before)
		}}, true, map[uint64]bool{5: true, 6: false, 7: false}, map[uint64]bool{5: false, 6: true, 7: true}, 0},
		{"it counts on its stack how often it failed", exchanger{load: on, exchange: func(v, w uint64) HintEnd {
			if v == w {
				return stands(w+1, gone)
			}
			return stands(w, left(1, before))
		}}, true, all(true, 5, 6, 7), all(false, 5, 6, 7), 1},
		{"and looks at that", exchanger{reads: true, load: on, exchange: func(v, w uint64) HintEnd {
			if v == w {
				return stands(w+1, gone)
			}
			return stands(w, left(1, before))
		}}, false, nil, nil, 0},
		{"a failure leads elsewhere", exchanger{load: on, exchange: func(v, w uint64) HintEnd {
			if v == w {
				return stands(w+1, gone)
			}
			return stands(w, Poise{PC: 4})
		}}, false, nil, nil, 0},
		{"an exchange that doesn't look", exchanger{load: on, exchange: func(v, w uint64) HintEnd { return stands(v+1, gone) }}, false, nil, nil, 0},
		{"it yields on its way back", exchanger{load: on, exchange: func(v, w uint64) HintEnd {
			e := stands(w, before)
			e.Rests = true
			return e
		}}, false, nil, nil, 0},
		{"an exchange of whatever is there", exchanger{load: on, exchange: func(v, w uint64) HintEnd { return stands(1, Poise{PC: 3, Effects: w}) }},
			true, all(true, 5, 6, 7), all(false, 5, 6, 7), 0},
		{"a lock that is looked at first, between yields", exchanger{load: func(v uint64) HintEnd {
			if v == 5 {
				return on(v)
			}
			e := stands(v, before)
			e.Rests = true
			return e
		}, exchange: func(v, w uint64) HintEnd {
			if w == 5 {
				return stands(1, gone)
			}
			return stands(w, before)
		}}, true, map[uint64]bool{5: true, 6: false, 7: false}, all(false, 5, 6, 7), 0},
		{"an exchange that can't be run", exchanger{load: on, exchange: func(uint64, uint64) HintEnd { return HintEnd{} }}, false, nil, nil, 0},
		{"a load that can't be run", exchanger{load: func(uint64) HintEnd { return HintEnd{} }, exchange: add}, false, nil, nil, 0},
	} {
		h := SurveyHint(&tc.e, before, []uint64{5, 6, 7})
		if h.Good != tc.good || fmt.Sprint(h.On, h.Vain) != fmt.Sprint(tc.on, tc.vain) || len(h.Left.Before) != tc.bytes {
			t.Errorf("%s: %+v", tc.what, h)
		}
		if tc.good && len(h.Looks) == 0 {
			t.Errorf("%s: it never looks", tc.what)
		}
	}
	// With one value nothing else shows that the exchange can't be run.
	fails := exchanger{load: on, exchange: func(uint64, uint64) HintEnd { return HintEnd{} }}
	if h := SurveyHint(&fails, before, []uint64{5}); h.Good {
		t.Errorf("%+v", h)
	}
}
