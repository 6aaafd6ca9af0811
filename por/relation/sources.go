package relation

import "landgo/internal/trace"

// Loads and stores that have no order but that of a load and the store that it finds
// (trace.Unordered). A load has as many outcomes as stores that it can find.
//
// A load r and a store w that comes after it, but doesn't happen after it, *race*: r could
// have found w. Reversed, w comes first, with what happens before it, and then r, with
// the outcome that is named as w is. That what r finds could come later is no race: r would
// be another step then, and that is one of the outcomes that it has in any case.

// gatherSource finds the store that e, a load, finds.
func (o *Order) gatherSource(e *Event, base []int32) {
	if e.Choice == 0 {
		return // the first value
	}
	n := o.granule(e.Accesses[0].Addr &^ 7)
	for k := o.grans[n].write; k >= 0; k = o.accs[k].prevWrite {
		if i := o.accs[k].ev; o.ev[i].event != nil && e.finds(o.ev[i].event) {
			o.find(e, i, base)
			return
		}
	}
}

// raceLoads adds the races of event i, if it is a store, with loads. row is the clock of what
// happens before it.
func (o *Order) raceLoads(e *Event, i int32, row []int32) {
	if len(e.Accesses) != 1 || e.Accesses[0].Flags&(trace.Unordered|trace.Write) != trace.Unordered|trace.Write {
		return
	}
	a := &e.Accesses[0]
	n, m := o.granule(a.Addr&^7), trace.GranuleMask(a.Addr&^7, a.Addr, a.Addr+uint64(a.Size))
	for k := o.grans[n].head; k >= 0; k = o.accs[k].prev {
		r := &o.accs[k]
		if t := o.ev[r.ev].thread; r.mask == m && t != e.Thread && row[t] <= r.ev && o.ev[r.ev].event.Loads() {
			o.Races = append(o.Races, Race{r.ev, i, -1, true})
		}
	}
}

// findSecond makes v for the race r of a load with a store: it ends with the load, which
// finds that.
func (s *Sequence) findSecond(r Race) {
	o := s.o
	s.own.Copy(o.ev[r.First].event)
	s.own.Choice = o.ev[r.Second].event.Choice
	s.From, s.end, s.upto = r.First, int32(len(o.ev)), r.Second
	s.Last, s.Varies, s.First, s.search = &s.own, false, true, false
	s.row = o.Clock(r.Second)
	s.collect()
}

// Steps is how many events of the execution are thread t's.
func (o *Order) Steps(t trace.TID) int {
	if int(t) >= len(o.own) {
		return 0
	}
	return len(o.own[t])
}

// Next is the first event of thread t from position i on, -1 for none.
func (o *Order) Next(t trace.TID, i int32) int32 {
	if list := o.eventsAfter(i-1, t); len(list) > 0 {
		return list[0]
	}
	return -1
}
