package por

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"landgo/por/internal/model"
)

// elsewhere works on parts of searches on machines of its own, as another process would: it
// has the program and the bytes of a part, and gives bytes back. An observer's sights go by
// their place in saw.
type elsewhere struct {
	t      *testing.T
	p      *model.Program
	search string
	opts   Options
	n      int
	r      *rand.Rand
	wait   sync.WaitGroup

	mu    sync.Mutex
	saw   []*survey
	over  chan bool
	units int // whose results came back
}

// Offer implements Away. Some parts are lost, some are done twice, some results are
// damaged; those of the end are done first.
func (e *elsewhere) Offer(parts [][]byte, done func(int, []byte)) {
	type task struct {
		i    int
		kind int
	}
	var tasks []task
	for i := len(parts) - 1; i >= 0; i-- {
		kind := e.r.IntN(8)
		if tasks = append(tasks, task{i, kind}); kind == 1 {
			tasks = append(tasks, task{i, 2})
		}
	}
	over := make(chan bool)
	e.over = over
	var next sync.Mutex
	for range e.n {
		e.wait.Add(1)
		go func() {
			defer e.wait.Done()
			s := newSurvey(e.p)
			root := s.m.Mark()
			w := Worker{Begin: func() System { s.m.Rewind(root); s.r = &recorder{System: s.m}; return s.r }, Obs: s,
				Seen: func() any { seen := *s; s.Restarted(); return &seen }}
			for {
				next.Lock()
				select {
				case <-over:
					next.Unlock()
					return
				default:
				}
				if len(tasks) == 0 {
					next.Unlock()
					return
				}
				k := tasks[0]
				tasks = tasks[1:]
				next.Unlock()
				if k.kind == 0 {
					continue // its worker is killed
				}
				text, spent, err := WorkAway(e.search, e.opts, w, parts[k.i], func(seen any) ([]byte, error) {
					e.mu.Lock()
					defer e.mu.Unlock()
					e.saw = append(e.saw, seen.(*survey))
					return fmt.Appendf(nil, "%d", len(e.saw)-1), nil
				})
				if err != nil || spent {
					e.t.Errorf("a part: %v, spent %v", err, spent)
				}
				if k.kind == 3 && len(text) > 3 {
					text = text[:len(text)-2]
				}
				done(k.i, text)
			}
		}()
	}
}

// Over implements Away.
func (e *elsewhere) Over() {
	close(e.over)
	e.wait.Wait()
}

// Seen implements Away.
func (e *elsewhere) Seen(text []byte) (any, error) {
	i := -1
	if _, err := fmt.Sscan(string(text), &i); err != nil || i >= len(e.saw) {
		return nil, errors.New("not a place")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.units++
	return e.saw[i], nil
}

// TestAway: parts of a search are worked on elsewhere, some of them twice, some in vain,
// has all counts and all that is seen of one that is alone.
func TestAway(t *testing.T) {
	programsOf, units := 15, 0
	if testing.Short() {
		programsOf = 8
	}
	r := rand.New(rand.NewPCG(5, 5))
	for _, coarse := range []bool{false, true} {
		for seed, seen := 0, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil || judge.stats.Executions < 20 {
				continue
			}
			seen++
			for _, name := range append(splitting(), "bounded", "bpor", "trust", "pct:runs=200") {
				if s, _, _ := strings.Cut(name, ":"); coarse && kindNamed(s).SingleEvents || !wanted(name) {
					continue
				}
				opts := Options{OneEvent: !coarse, Unmerged: true, WarmUp: uint64(5 + seed%50), UnitSteps: uint64(3 + seed%11), batchUnits: 4 + seed%9, partUnits: 1 + seed%3, look: 1}
				if name == "bounded" || name == "bpor" {
					opts.Bounds, opts.Iterate = Bounds{{Preempt, 2}}, seed%2 == 0
				}
				one, err := together(name, p, 1, opts)
				if err != nil {
					t.Fatal(err)
				}
				e := &elsewhere{t: t, p: p, search: name, opts: opts, n: 2, r: r}
				own := opts
				own.Away = e
				many, err := together(name, p, 1+seed%2, own)
				units += e.units
				if err != nil || many.stats != one.stats || !reflect.DeepEqual(many.traces, one.traces) || !sameOutcomes(many, one) {
					t.Fatalf("%s, seed %d: %+v, %v; alone %+v\n%v", name, seed, many.stats, err, one.stats, p)
				}
			}
		}
	}
	t.Log("units done away:", units)
	if units < 1000 {
		t.Error("hardly anything was done away")
	}
}

// TestDamagedPart: a part whose bytes are others is refused or worked on, and nothing
// breaks.
func TestDamagedPart(t *testing.T) {
	if _, _, err := WorkAway("optimal", Options{}, Worker{}, []byte{1, 2, 3}, nil); !errors.Is(err, ErrPart) {
		t.Error(err)
	}
}
