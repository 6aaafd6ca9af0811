package por

import (
	"encoding/binary"
	"errors"

	"landgo/internal/trace"
)

// stateful is search without partial-order reduction that stores the states it has
// visited, and goes back when it reaches one again. Flanagan and Godefroid (POPL
// 2005, §5) have configurations with such a search. With sleep sets it matches
// states as in Godefroid (LNCS 1032, Fig. 5.2):
//
//	if s isn't in H { enter s in H with its sleep set; T = enabled \ s.Sleep }
//	else { T = H(s).Sleep \ s.Sleep; s.Sleep = H(s).Sleep = s.Sleep n H(s).Sleep }
//	explore each t in T; after each, add t to s.Sleep
//
// So a transition that was asleep when s was first visited, and isn't now, is
// explored now.
//
// It finds every state in which a thread can run, so every final state and every
// bug. It runs some execution to each, and not one of each trace. A run that
// reaches a stored state is counted as blocked.
//
// Soundness: a state is known by a 128-bit digest (Hasher), which says all that
// what follows depends on. Two states that differ are taken for one with a chance
// of about 2^-128 a pair. Without sleep sets it is then a graph search. With them,
// let w lead from a visited s to a state. If no first transition of a w' equivalent
// to w is in H(s).Sleep, then that state is visited, by induction on the length of
// w. Take the first visit of s after which H(s).Sleep has no such transition. Those
// that it had before, or at a first visit all of them, are in T; let t be the one
// explored first. Its successor's sleep set has no first transition of what is left
// of w. That one would be independent of t, and a first transition of w asleep in s
// or explored before t. Cycles make no difference to this.
//
// A thread that turns in a loop without effect is seen to spin once it is back
// where it was, a property of the path that led there. Only then is a deadlock
// in which others spin a state that no thread can leave. It is found all the
// same. Let c be the state visited first of those with the memory of such a
// deadlock, in which all that is left to do is to turn. The search goes on with
// the thread that has run (backtrack.go), all these states being new, until it
// is seen to spin; then with the next one. With sleep sets that thread mustn't
// be asleep in c: so no transition sleeps that changes nothing.
//
// An execution that comes back to a stored state is left, so it needn't end.
// Where no end can be reached from a state, whatever the threads do, the search
// can't call that right (endless.go).
//
// Deviations:
//   - a transition that changes nothing never sleeps here;
//   - the state after the end of the process isn't stored, nor one in which no
//     thread can run: each path to it is an execution;
//   - which transition of s is explored first is the order of search none, for
//     the reason above.
//
// Memory: some 40 bytes a state, with sleep sets some 50 and each different
// sleep set once, and 8 bytes a transition. It grows with the space;
// Options.Stop is the limit.
type stateful struct {
	passive
	handle
	want      needs
	sleep     bool
	seen      map[trace.Digest]stored
	sleepSets [][]name // sleep sets by number; the first is empty
	number    map[string]uint32
	key       []byte
	names     []name
	steps     stateGraph // of the states stored
}

// stored is a state that was stored.
type stored struct {
	number uint32 // in the order of first visits
	sleep  uint32 // the number of its sleep set
}

// Hasher is a System that can tell states apart. A search that stores states
// needs one.
type Hasher interface {
	// Digest is the same for two states if and only if the same can be done from
	// them, and leads to the same. That holds as far as 128 bits go. It isn't asked
	// for after an end of the process. An error says which part of the state has no
	// digest.
	Digest() (trace.Digest, error)
}

// name is a transition of a state.
type name struct {
	thread trace.TID
	choice trace.Choice
}

func newStateful(h handle) strategy {
	s := &stateful{handle: h, sleep: h.spec.Param("sleep") == 1}
	s.want = needs{sleep: s.sleep, refill: s.refill}
	return s
}

func (s *stateful) needs() *needs { return &s.want }

func (s *stateful) reset() {
	s.seen, s.number = map[trace.Digest]stored{}, map[string]uint32{"": 0}
	s.sleepSets = append(s.sleepSets[:0], nil)
	s.steps.reset()
	s.want.retaken = false
}

func (s *stateful) end(e Ending) {
	if last := s.path.depth() - 1; e != EndedBlocked && last >= 0 {
		s.steps.ends(last)
	}
}

// remember implements resumer: the states that were stored.
func (s *stateful) remember() *resumeState {
	p := packer{}
	p.putBool(s.want.sleep)
	putList(&p, s.sleepSets, func(set *[]name) {
		putList(&p, *set, func(b *name) { p.put(uint64(b.thread), uint64(b.choice)) })
	})
	p.put(uint64(len(s.seen)))
	for d, k := range s.seen {
		p.put(d[0], d[1], uint64(k.number), uint64(k.sleep))
	}
	s.steps.pack(&p, s.path.depth())
	return &resumeState{own: p.buf}
}

// resumed implements resumer.
func (s *stateful) resumed(m *resumeState) error {
	if m == nil {
		return ErrSnapshot
	}
	u := unpacker{buf: m.own}
	s.want.sleep = u.bool()
	s.want.retaken = s.sleep && !s.want.sleep
	s.number = map[string]uint32{}
	s.sleepSets = getList(&u, func() []name {
		set := getList(&u, func() name { return name{u.thread(), u.choice()} })
		s.number[string(s.encode(set))] = uint32(len(s.number))
		return set
	})
	for n := u.length(); n > 0 && !u.bad; n-- {
		s.seen[trace.Digest{u.get(), u.get()}] = stored{uint32(u.below(1 << 32)), uint32(u.below(uint64(len(s.sleepSets))))}
	}
	s.steps.unpack(&u, len(s.seen))
	if u.bad || len(u.buf) > 0 || len(s.sleepSets) == 0 {
		return ErrSnapshot
	}
	return nil
}

func (s *stateful) seed(n *node, _ *branch) error {
	if s.hasher == nil {
		return errors.New("search stateful needs a system whose states have digests")
	}
	d, err := s.hasher.Digest()
	if err != nil {
		return err
	}
	s.rouse(n)
	old, known := s.seen[d]
	if !known {
		old.number = uint32(len(s.seen))
	}
	s.steps.lead(int(n.depth), old.number)
	switch {
	case !known:
		s.seen[d] = stored{old.number, s.store(n)}
		s.sets.addEvery(n)
	case old.sleep != 0:
		s.again(n, d, old)
	}
	return nil
}

// rouse takes out of the sleep set of n what changes nothing.
func (s *stateful) rouse(n *node) {
	s.keep(n, func(b *branch) bool { return !b.Idle() })
}

// keep leaves in the sleep set of n, the newest state, what f says.
func (s *stateful) keep(n *node, f func(b *branch) bool) {
	kept := s.path.sleep[:n.sleeps]
	for _, b := range s.path.sleepers(n) {
		if f(b) {
			kept = append(kept, b)
		}
	}
	s.path.sleep, n.slept = kept, int32(len(kept))
}

// again explores what was asleep at earlier visits of the state and isn't now.
func (s *stateful) again(n *node, d trace.Digest, known stored) {
	var awake []name
	old := s.sleepSets[known.sleep]
	for _, b := range old {
		if !s.path.asleep(n, b.thread, b.choice) {
			awake = append(awake, b)
		}
	}
	s.keep(n, func(b *branch) bool {
		for _, o := range old {
			if o.thread == b.Thread && o.choice == b.Choice {
				return true
			}
		}
		return false
	})
	s.seen[d] = stored{known.number, s.store(n)}
	for _, b := range awake {
		add(&n.todo, s.sets.pool.named(b.thread, b.choice))
	}
}

// store gives the sleep set of n a number.
func (s *stateful) store(n *node) uint32 {
	s.names = s.names[:0]
	for _, b := range s.path.sleepers(n) {
		at := len(s.names)
		for at > 0 && (s.names[at-1].thread > b.Thread || s.names[at-1].thread == b.Thread && s.names[at-1].choice > b.Choice) {
			at--
		}
		s.names = append(s.names, name{})
		copy(s.names[at+1:], s.names[at:])
		s.names[at] = name{b.Thread, b.Choice}
	}
	k, ok := s.number[string(s.encode(s.names))]
	if !ok {
		k = uint32(len(s.sleepSets))
		s.sleepSets = append(s.sleepSets, append([]name(nil), s.names...))
		s.number[string(s.key)] = k
	}
	return k
}

// encode is a sleep set in order as bytes, valid until the next call.
func (s *stateful) encode(set []name) []byte {
	s.key = s.key[:0]
	for _, b := range set {
		s.key = binary.LittleEndian.AppendUint64(s.key, uint64(b.thread)<<32|uint64(b.choice))
	}
	return s.key
}
