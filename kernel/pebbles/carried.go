package pebbles

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// For --trust threads, where landgo carries out a thread library's functions on
// threads without calls of the guest's. It makes the same threads, ids and
// words of state as calls would, so the rest of the library finds its threads.

// joinWord is the address of the word that has the joiner of a thread, also one
// that is about to join.
func joinWord(t trace.TID) uint64 { return joinWords + uint64(t)*wordSize }

// Number is the id of a thread that exists, as gettid has it.
func (k *Kernel) Number(t trace.TID) uint64 { return k.threads[t].number }

// Named is the thread of an id, created or not, with its words: whether it
// exists and can run, and whether it has been joined. It is trace.NoThread for
// an unknown id.
func (k *Kernel) Named(number uint64) (id trace.TID, run, join uint64) {
	if id = k.lookup(number); id == trace.NoThread {
		return id, 0, 0
	}
	return id, runWord(id), joinWord(id)
}

// Runs reports whether a thread is there and can run.
func (k *Kernel) Runs(t trace.TID) bool {
	th := k.thread(t)
	return th != nil && th.state == running
}

// NextChild is the next thread that t creates, with its words as in Named; if there
// can't be one, reason says why.
func (k *Kernel) NextChild(t trace.TID) (id trace.TID, run, join uint64, reason string) {
	if id, _, reason = k.child(k.threads[t]); reason != "" {
		return id, 0, 0, reason
	}
	return id, runWord(id), joinWord(id), ""
}

// Fork makes thread t's next child, as thread_fork does, with a zeroed stack of
// size bytes at base, and room behind it that is the stack's as well. It reports
// false, with nothing done, if the guest may have no more memory. taken: it has
// memory of its own there.
func (k *Kernel) Fork(t trace.TID, base, size, room uint64) (number uint64, ok, taken bool) {
	for page := base - abi.PageSize; page < base+size+room+abi.PageSize; page += abi.PageSize {
		if k.m.Prot(page) != 0 {
			return 0, false, true
		}
	}
	if size+room > k.cfg.MemoryLimit-k.used {
		return 0, false, false
	}
	parent := k.threads[t]
	id, number, _ := k.child(parent)
	k.clear(base, size+room)
	k.m.Protect(base, size+room, emu.ProtRead|emu.ProtWrite)
	k.set(&k.used, k.used+size+room)
	k.addRegion(base, size+room)
	k.set(&k.regions[k.mapped-1].live, lent)
	k.someLent = true
	k.addChild(parent, id, number)
	return number, true, false
}

// Last reports whether a thread is the only one left, and with which status the
// task ends then.
func (k *Kernel) Last(t trace.TID) (status int, last bool) {
	return int(int32(k.status)), k.live == 1 && k.threads[t].state != vanished
}

// Leave ends a thread whose end landgo carries out. It ends no other thread's sleep.
func (k *Kernel) Leave(t trace.TID) ([]trace.TID, []trace.Op) {
	if th := k.thread(t); th != nil && th.state != vanished {
		k.set(&th.state, vanished)
		k.set(&k.live, k.live-1)
	}
	return nil, nil
}

// Block lays out the call of function on a stack that ends at top, as for a
// handler: a return address of 0.
func (k *Kernel) Block(regs *emu.Regs, function, top, arg uint64) {
	block := k.form.enter(regs, function, top, arg)
	k.mem.Write(regs.RSP, block)
}

// lent reports whether pages are wanted that landgo has put a stack in.
func (k *Kernel) lentIn(base, size uint64) bool {
	if !k.someLent {
		return false
	}
	for _, r := range k.regions[:k.mapped] {
		if r.live == lent && base < r.base+r.size+abi.PageSize && r.base-abi.PageSize < base+size {
			return true
		}
	}
	return false
}
