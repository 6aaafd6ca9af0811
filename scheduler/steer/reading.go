package steer

import (
	"math"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// The kernel as it stands: what all parts ask of it.

// aloneOwn: no second thread was ever created.
func (k *reading) aloneOwn() bool { return k.born.Get() <= 1 }

// upName is the function at whose call the kernel is up.
func (k *fixed) upName() string {
	if k.profile != nil {
		if f, ok := k.image.SymbolAt(k.profile.Booted); ok {
			return f.Name
		}
	}
	return profile.TellPrefix + tellNames[tellBooted]
}

// interrupts turns interrupts on or off. For a thread's own code this begins or
// ends a section.
func (k *reading) interrupts(u *turn, on bool) {
	if k.on.Get() != on && !u.ticking && k.booted.Get() {
		k.section(u.tr, !on)
	}
	if on && !k.on.Get() {
		k.machine.Put(&k.ons, k.ons.Get()+1)
	}
	k.machine.PutFlag(&k.on, on)
}

// section notes that a section without interrupts begins or ends. Where the
// processor changes hands within one, it ends for the thread that leaves, and begins for
// the one that comes.
func (k *fixed) section(tr *trace.Transition, begins bool) {
	op := trace.OpInterruptsOn
	if begins {
		op = trace.OpInterruptsOff
	}
	tr.Did(trace.Op{Kind: op, Obj: sectionLock})
}

// numbered finds a living thread by the kernel's number.
func (k *path) numbered(n uint64) (trace.TID, bool) {
	for i := range k.threads {
		if th := &k.threads[i]; k.threads[i].Exists && th.Live() && th.own.Number == n {
			return th.ID, true
		}
	}
	return trace.NoThread, false
}

// late finds a thread that has ended before it was told that it is ready.
func (k *path) late(n uint64) *thread {
	for i := range k.threads {
		if th := &k.threads[i]; k.threads[i].Exists && th.own.Unannounced && th.own.Number == n {
			return th
		}
	}
	return nil
}

// text is a string of the kernel's.
func (k *reading) text(addr uint64) string {
	var b []byte
	for len(b) < 200 {
		c, ok := k.byteAt(addr + uint64(len(b)))
		if !ok || c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}

// others reports whether another thread could do something, now or later.
func (k *path) others(th *thread) bool {
	for i := range k.threads {
		x := &k.threads[i]
		if k.threads[i].Exists && x.Live() && x != th && !x.own.Idle && x.own.State != ownBlocked {
			return true
		}
	}
	return false
}

// stackBelow is where a handler's frames are in memory, if the stack pointer is
// sp. Where a thread's structure is at the end of its stack, it isn't meant.
func (k *reading) stackBelow(sp uint64) emu.Range {
	lo := sp - handlerRoom
	if k := k.profile; k != nil && k.Stack != 0 {
		lo = max(lo, (sp-1)&^(k.Stack-1)+k.Size)
	}
	end, ok := k.translate(sp - 1)
	if !ok || lo >= sp {
		return emu.Range{}
	}
	if from, ok := k.translate(lo); !ok || end-from != sp-1-lo {
		lo = (sp - 1) &^ (abi.PageSize - 1) // pages that aren't side by side
	}
	return emu.Range{Lo: end + 1 - (sp - lo), Hi: end + 1}
}

// frameLinks are where the frames of an interrupted thread are linked: the physical addresses of
// the saved frame pointers, each with the return address behind it. fp is the thread's, and its
// stack ends at sp. A handler that notes its callers in each lock reads them (getcallerpcs of
// xv6). As where the thread was interrupted, which is in the handler's part of the stack, they
// say where the tick came, and concern no other thread.
func (k *reading) frameLinks(fp, sp uint64) (links []uint64) {
	const room = 2 * abi.PageSize
	page, base := ^uint64(0), uint64(0)
	for len(links) < emu.MaxLinks && fp-sp < room && fp%k.wordSize == 0 {
		if p := abi.PageDown(fp); p != page {
			var ok bool
			if base, ok = k.translate(p); !ok {
				break
			}
			page = p
		}
		at := base + fp - page
		next, ret := k.machine.Read64(at), k.machine.Read64(at+k.wordSize)
		if k.wordSize == 4 {
			next, ret = uint64(uint32(next)), uint64(uint32(ret))
		}
		if !k.image.File.AfterCall(ret) {
			break // fp is no frame pointer, but a pointer to something of the thread's
		}
		links = append(links, at)
		if next <= fp {
			break
		}
		fp = next
	}
	return links
}

// handlerRoom is how much of the stack below the place where it was interrupted a
// thread lends to the handler. Accesses there concern no other thread.
const handlerRoom = abi.PageSize

// stepsGap reports whether the kernel is run one instruction at a time, until it has
// assigned the variable that says which thread runs.
func (k *reading) stepsGap() bool { return k.profile != nil && k.gap.Get() == gapJumped }

// bestPriority is the highest of the ready threads'.
func (g *ranks) bestPriority() (best int64) {
	best = math.MinInt64
	if g.known.Unranked {
		return best
	}
	for i := range g.in.threads {
		th := &g.in.threads[i]
		if g.in.threads[i].Exists && th.Live() && !th.own.Idle && th.own.State == ownReady {
			best = max(best, th.own.Priority)
		}
	}
	return best
}
