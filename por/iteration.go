package por

// iteration is how far a search by ascending bound has come (Musuvathi and Qadeer,
// PLDI 2007, Algorithm 1). It has the value of the bound, the entries that are left
// of it, and those that wait for higher values.
type iteration struct {
	level, limit int32               // the value at hand, and the greatest
	from         int32               // the first
	waiting      map[int32]*frontier // by value
	source       *frontier           // that is being taken up, nil in the first round
}

// chunkSteps is how many steps a chunk of a frontier has, or a few more: its
// tree is in memory.
const chunkSteps = 2048

// frontier is the work that waits for value v.
func (a *iteration) frontier(v int32) *frontier {
	f := a.waiting[v]
	if f == nil {
		if a.waiting == nil {
			a.waiting = map[int32]*frontier{}
		}
		f = &frontier{}
		a.waiting[v] = f
	}
	return f
}

// takeOver adds what a unit has cut off.
func (a *iteration) takeOver(v int32, f *frontier) error {
	defer f.drop()
	return a.frontier(v).append(f)
}

// nextChunk is the next entries of the frontier being taken up: nil if there are
// none. over: nothing else is left at this value, and it is the next one's turn.
func (a *iteration) nextChunk(over bool) (*chunk, error) {
	for {
		if a.source != nil {
			if c, err := a.source.chunk(); c != nil || err != nil {
				return c, err
			}
			a.source.drop()
			a.source = nil
		}
		if !over || !a.raise() {
			return nil, nil
		}
	}
}

// raise raises the bound to the next value that something waits for.
func (a *iteration) raise() bool {
	for len(a.waiting) > 0 && a.level < a.limit {
		a.level++
		if f := a.waiting[a.level]; f != nil {
			delete(a.waiting, a.level)
			a.source = f
			return true
		}
	}
	a.level = a.limit
	return false
}

// share is the share of what the bound at hand has to take up that is done.
func (a *iteration) share() (float64, bool) {
	if a.source == nil {
		return 0, false
	}
	return max(float64(a.source.read-1), 0.5) / float64(a.source.entries), true
}

// drop forgets everything.
func (a *iteration) drop() {
	for _, f := range a.waiting {
		f.drop()
	}
	if a.source != nil {
		a.source.drop()
	}
	*a = iteration{level: a.from, limit: a.limit, from: a.from}
}
