package scheduler

import (
	"encoding/binary"

	"landgo/internal/trace"
)

// trials run a thread on, and take that back. News learned meanwhile stays.
type trials struct {
	stepper
	in        *present
	learning  *learning
	attempt   *attempt
	buffers   *buffers
	stillness *stillness
	dead      *deadCode
}

// probe has f run a thread, and takes all back but what was learned.
func (t *trials) probe(th *thread, f func(th edit)) {
	finer, observer := t.learning.finer, t.in.observer
	t.attempt.probing, t.in.observer = true, nil
	under := len(t.buffers.under)
	k := t.in.aside()
	f(t.in.edit(th.ID))
	t.in.takeBack(k)
	t.buffers.under, t.buffers.weak = t.buffers.under[:under], 0
	// News of sharing is known for good, so the search has to start
	// again as if the turn were real.
	t.attempt.probing, t.learning.finer, t.in.observer = false, finer || t.learning.finer, observer
}

// aside has f run a thread, and takes that back.
func (t *trials) aside(th edit, f func()) {
	k := t.in.aside()
	t.in.Save(th.ID)
	f()
	t.in.takeBack(k)
}

// putValue has an access find v.
func (t *trials) putValue(a *trace.Access, v uint64) {
	if v != t.in.valueAt(a) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		t.in.machine.Write(a.Addr, b[:a.Size])
	}
}

// surveyKey is a thread in a state of its own, with what its bytes hold and have held.
type surveyKey struct {
	thread          trace.TID
	number, effects uint64
	values          trace.Digest
}

// pollKey is a thread in a state of its own, and a value before it.
type pollKey struct {
	thread          trace.TID
	number, effects uint64 // of the step that brought it there (since), and of what it did in the kernel
	value           uint64
}

// mostPolls bounds how much is remembered of turns that were tried.
const mostPolls = 1 << 14
