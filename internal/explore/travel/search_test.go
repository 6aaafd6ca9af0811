package travel

import (
	"testing"

	"landgo/internal/debugger"
	"landgo/internal/trace"
)

// TestFind: where orders of a debugger end. A break is before its instruction, and never the one
// at which the run stands. A watch is behind its access, or before it on the way back.
func TestFind(t *testing.T) {
	t.Parallel()
	store := func(addr, size uint64) []debugger.Watch {
		return []debugger.Watch{{Addr: addr, Size: size, Write: true}}
	}
	load := func(addr, size uint64) []debugger.Watch {
		return []debugger.Watch{{Addr: addr, Size: size, Read: true}}
	}
	for name, c := range map[string]struct {
		from   uint64
		order  debugger.Order
		at     uint64
		thread trace.TID
		why    debugger.Why
	}{
		"to":                        {0, debugger.Order{To: true, At: 4}, 4, 1, debugger.AtStep},
		"to beyond the end":         {0, debugger.Order{To: true, At: 99}, 8, 0, debugger.AtStep},
		"break":                     {0, debugger.Order{Breaks: []uint64{0x20}}, 3, 1, debugger.AtBreak},
		"break where it stands":     {3, debugger.Order{Breaks: []uint64{0x20, 0x14}}, 6, 0, debugger.AtBreak},
		"no break":                  {0, debugger.Order{Breaks: []uint64{0x99}}, 8, 0, debugger.AtEnd},
		"store":                     {0, debugger.Order{Watches: store(0x103, 1)}, 2, 0, debugger.AtWatch},
		"store behind that":         {2, debugger.Order{Watches: store(0x103, 1)}, 7, 0, debugger.AtWatch},
		"store to later bytes":      {0, debugger.Order{Watches: store(0x104, 1)}, 7, 0, debugger.AtWatch},
		"load":                      {0, debugger.Order{Watches: load(0x100, 3)}, 4, 1, debugger.AtWatch},
		"no load":                   {0, debugger.Order{Watches: load(0x100, 2)}, 8, 0, debugger.AtEnd},
		"step":                      {3, debugger.Order{Step: 2, Low: 0x20, High: 0x21}, 4, 1, debugger.AtStep},
		"step within a line":        {3, debugger.Order{Step: 2, Low: 0x20, High: 0x30}, 5, 1, debugger.AtStep},
		"step past another thread":  {4, debugger.Order{Step: 1, Low: 0x13, High: 0x14}, 6, 0, debugger.AtStep},
		"back to a break":           {8, debugger.Order{Back: true, Breaks: []uint64{0x20}}, 3, 1, debugger.AtBreak},
		"back from a break":         {3, debugger.Order{Back: true, Breaks: []uint64{0x20, 0x11}}, 1, 0, debugger.AtBreak},
		"back to a store":           {8, debugger.Order{Back: true, Watches: store(0x100, 1)}, 6, 0, debugger.AtWatch},
		"back to the store before":  {6, debugger.Order{Back: true, Watches: store(0x100, 1)}, 1, 0, debugger.AtWatch},
		"back past a store":         {6, debugger.Order{Back: true, Watches: store(0x104, 1)}, 0, 0, debugger.AtBegin},
		"back before a later store": {1, debugger.Order{Back: true, Watches: store(0x300, 1)}, 0, 0, debugger.AtWatch},
		"back to a load":            {8, debugger.Order{Back: true, Watches: load(0x103, 1)}, 3, 1, debugger.AtWatch},
		"back by a step":            {8, debugger.Order{Back: true, Step: 2, Low: 0x21, High: 0x22}, 3, 1, debugger.AtStep},
		"back by another's step":    {8, debugger.Order{Back: true, Step: 1, Low: 0x13, High: 0x16}, 2, 0, debugger.AtStep},
		"back to the beginning":     {8, debugger.Order{Back: true, Breaks: []uint64{0x99}}, 0, 0, debugger.AtBegin},
		"back in the middle of one": {7, debugger.Order{Back: true, Breaks: []uint64{0x14, 0x15}}, 6, 0, debugger.AtBreak},
	} {
		t.Run(name, func(t *testing.T) {
			run := made()
			run.stand(c.from)
			stop, err := run.find(&c.order)
			if err != nil || run.at != c.at || run.current != c.thread || stop.Why != c.why {
				t.Errorf("%v: at %d, thread %d, %+v", err, run.at, run.current, stop)
			}
		})
	}
}

// TestFindWatch: of several watches, the stop says which it was.
func TestFindWatch(t *testing.T) {
	t.Parallel()
	run := made()
	run.stand(0)
	stop, err := run.find(&debugger.Order{Watches: []debugger.Watch{{Addr: 0x200, Size: 1, Write: true}, {Addr: 0x102, Size: 1, Read: true}}})
	if err != nil || stop.Watch != 1 || run.at != 4 {
		t.Errorf("%v: at %d, %+v", err, run.at, stop)
	}
}

// TestInterrupted: an interrupt ends a search, at the moment where it is, and no later one.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		run := made()
		run.stands(3)
		run.Interrupt()
		if stop, err := run.Go(debugger.Order{Back: back, Breaks: []uint64{0x99}}); err != nil || stop.Why != debugger.Interrupted || run.at != 3 || stop.Moved {
			t.Errorf("back %v, %v: at %d, %+v", back, err, run.at, stop)
		}
		run.live = run.pieceAt(map[bool]uint64{false: 8, true: 0}[back])
		if stop, err := run.Go(debugger.Order{Back: back}); err != nil || stop.Why == debugger.Interrupted || !stop.Moved {
			t.Errorf("back %v, %v: then at %d, %+v", back, err, run.at, stop)
		}
	}
}

// TestHalves: an instruction that is stopped in its middle has two ticks. A step ends behind the second,
// and a break is before the first.
func TestHalves(t *testing.T) {
	t.Parallel()
	run := made()
	run.trails.of[0].halved, run.trails.of[2].resumed = true, true // 0x12 goes on at tick 5, as 0x13
	run.stand(2)
	if stop, err := run.find(&debugger.Order{Step: 1, Low: 0x12, High: 0x13}); err != nil || run.at != 6 || stop.Why != debugger.AtStep {
		t.Errorf("%v: at %d, %+v", err, run.at, stop)
	}
	run.stand(3)
	if stop, err := run.find(&debugger.Order{Breaks: []uint64{0x13, 0x15}}); err != nil || run.at != 7 {
		t.Errorf("%v: at %d, %+v", err, run.at, stop)
	}
	run.stand(7)
	if stop, err := run.find(&debugger.Order{Back: true, Breaks: []uint64{0x13, 0x12}}); err != nil || run.at != 2 {
		t.Errorf("%v: back at %d, %+v", err, run.at, stop)
	}
}
