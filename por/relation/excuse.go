package relation

// An Excuse is why a race needn't be reversed yet: a branch that is asleep or explored in the state before
// it is a weak initial of v. Later executions with the same events up to e' may have others behind
// it, so there the race is looked at again. But mostly the branch is one there too, and to see that
// takes only the events that are new.
type Excuse struct {
	given bool
	at    int32 // the branch's step is this event of the execution; -1: it is none
	step  Step  // if it is none: what it does, which depends on nothing of v
}

// Excused notes that the branch that Starts or Weak was asked about last leaves v out. It is perhaps a
// weak initial of v.
func (s *Sequence) Excused() {
	if s.at != unsure {
		s.excused, s.excusedAt, s.excusedBy = true, s.at, s.beside
	}
}

// unsure: events that come later may change more than Stands looks at.
const unsure = -2

// Excuse keeps in x why the latest insertion has left v out, if that was the only one since v was made.
func (s *Sequence) Excuse(x *Excuse) {
	if x.given = s.excused && s.starts == 1 && s.Joint == nil; !x.given {
		return
	}
	if x.at = s.excusedAt; x.at < 0 {
		x.step.Copy(s.excusedBy)
	}
}

// Stands reports whether the excuse for race r surely stands in the present execution, whose events
// from position from on are new.
func (x *Excuse) Stands(o *Order, r Race, from int32) bool {
	if !x.given || x.at >= 0 {
		return x.given && x.at < from
	}
	for i := from; i < int32(len(o.ev)); i++ {
		if o.Before(r.First, i) {
			continue // it isn't of v
		}
		if e := o.ev[i].event; e.Dependent(&x.step.Event) || e.Buffers(&x.step.Event) || e.AddsAlike(&x.step.Event) {
			return false
		}
	}
	return true
}
