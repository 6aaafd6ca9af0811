package trace

import (
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	s := make(Set, 2)
	for _, id := range []TID{3, 64, 127} {
		s.Put(id, true)
	}
	s.Put(5, true)
	s.Put(5, false)
	if got := slices.Collect(s.All); !slices.Equal(got, []TID{3, 64, 127}) || s.Len() != 3 {
		t.Errorf("the set has %v, %d in all", got, s.Len())
	}
	for k, want := range []TID{3, 64, 127, NoThread} {
		if got := s.At(k); got != want {
			t.Errorf("number %d is %d, want %d", k, got, want)
		}
	}
	for id, want := range map[TID]bool{3: true, 4: false, 127: true, 128: false, NoThread: false} {
		if s.Has(id) != want {
			t.Errorf("%d: %v", id, !want)
		}
	}
}

// TestPresent: threads are found by id though some ids aren't used yet, and each is in
// the sets where it belongs.
func TestPresent(t *testing.T) {
	var p Present
	p.Take([]Thread{
		{ID: 0, Status: Blocked}, {ID: 2, Outcomes: 1, Next: true}, {ID: 70, Outcomes: 3}, {ID: 71, Status: Spinning, Outcomes: 2}, {ID: 72, Status: Exited},
	})
	for name, c := range map[string]struct{ got, want []TID }{
		"ready":    {slices.Collect(p.Ready.All), []TID{2, 70}},
		"spinning": {slices.Collect(p.Spinning.All), []TID{71}},
		"several":  {slices.Collect(p.Several.All), []TID{70}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if p.Next != 2 {
		t.Errorf("next is %d", p.Next)
	}
	for _, id := range []TID{0, 2, 70, 71, 72} {
		if th := p.Thread(id); th == nil || th.ID != id {
			t.Errorf("thread %d is %+v", id, th)
		}
	}
	for _, id := range []TID{NoThread, 1, 3, 73} {
		if th := p.Thread(id); th != nil {
			t.Errorf("thread %d is %+v", id, th)
		}
	}
	p.Take(nil)
	if p.Ready.Len() != 0 || p.Thread(0) != nil || p.Next != NoThread {
		t.Errorf("of no threads: %+v", p)
	}
}
