package steer

import (
	"fmt"
	"hash/fnv"
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// landgo believes a kernel or its profile about threads until a run contradicts it. A thread
// that landgo doesn't know of, or takes for waiting or ended, isn't let run where it could
// be: what is verified then is less than it seems. So a contradiction makes the result
// invalid, unless it can be the kernel's own mistake. The type beliefs has what the kernel
// says of its threads, by calls or in its memory, and the result of comparing that with the
// processor's behaviour.
type beliefs struct {
	in    *situation
	core  core
	known *known.Facts
	step  *stepping
	proc  *processor
}

// comes: by the profile, thread n gets the processor, whose stack pointer is sp.
func (b *beliefs) comes(u *turn, n, sp uint64) (trace.TID, error) {
	if _, known := b.in.numbered(n); !known && !slices.Contains(b.in.idleOnes(), n) && b.in.unlisted(n) {
		return 0, b.core.invalid(kernel.GapSchedule, u.th, b.proc.pcNow(),
			"the kernel ran thread %#x, which the profile doesn't list as ready", n)
	}
	if err := b.found(u, n); err != nil {
		return 0, err
	}
	t, _ := b.in.numbered(n)
	th := &b.in.threads[t]
	if th.own.Tail && th.own.Kind == tailOfNew && b.in.leftThere(n, sp) {
		return 0, b.core.invalid(kernel.GapSchedule, u.th, b.proc.pcNow(),
			"thread %#x had ended, by the profile's ended states, and goes on where it was", n)
	}
	if !th.own.Idle && !b.in.saysReady(n) && !th.own.Unannounced {
		b.core.edit(th.ID).own.Unannounced = true
		b.in.machine.Put(&b.in.unannounced, b.in.unannounced.Get()+1)
	}
	return t, nil
}

// unlisted reports whether the unknown thread n was ready when threads were looked
// for last, and hasn't been in a list since. A kernel may make a thread and give it
// the processor in one section, and a new thread's state is the one that its memory had
// before.
func (k *situation) unlisted(n uint64) bool {
	yes := true
	values := func(va, size uint64, f func(v uint64) bool) {
		if pa, ok := k.translate(va); ok {
			k.machine.Values(k.looked.Get(), pa, size, func(v uint64) { yes = yes && f(v) })
		}
	}
	values(n+k.profile.State.Offset, k.profile.State.Size, func(v uint64) bool {
		return slices.Contains(k.profile.Ready, k.profile.State.Signed(v))
	})
	for i := range k.profile.Lists {
		l := &k.profile.Lists[i]
		links := slices.Clone(l.First)
		for t := range k.threads {
			if k.threads[t].Exists && k.threads[t].own.Number != 0 {
				links = append(links, k.threads[t].own.Number+l.Next)
			}
		}
		for _, at := range links {
			values(at, k.wordSize, func(v uint64) bool { return v != n+l.Link })
		}
	}
	return yes
}

// leftThere reports whether a stack pointer is where an earlier thread n, which has
// ended, gave the processor up for the last time. One that has been made anew begins
// elsewhere.
func (k *situation) leftThere(n, sp uint64) bool {
	pa, ok := k.translate(sp)
	for i := range k.threads {
		if o := &k.threads[i].own; k.threads[i].Exists && o.Ended && o.Number == n && ok && o.Stack == pa {
			return true
		}
	}
	return false
}

// checkIdlers: the profile's idle threads are the same all the time.
func (b *beliefs) checkIdlers(u *turn) error {
	idle := b.in.idleOnes()
	for i := range b.in.threads {
		th := &b.in.threads[i]
		if b.in.threads[i].Exists && th.Live() && th.own.Number != 0 && th.own.Idle != slices.Contains(idle, th.own.Number) {
			return b.core.invalid(kernel.GapSchedule, u.th, b.proc.pcNow(),
				"the profile's idle variables name one thread, and then another: an idle thread stays what it is")
		}
	}
	return nil
}

// Ticks wake those that sleep. A thread that is said to wait for others and is woken by
// a tick could have been run by itself, and a deadlock of such isn't one.

// waiting are the threads that wait for others, where that is read.
func (k *situation) waiting() (all []trace.TID) {
	for i := range k.threads {
		th := &k.threads[i]
		if k.profile != nil && k.threads[i].Exists && th.Live() && !th.own.Idle && th.own.State == ownBlocked && !k.saysReady(th.own.Number) {
			all = append(all, th.ID)
		}
	}
	return all
}

// wokenByTick: a tick, or an idle thread, has made ready a thread that waits for others.
func (b *beliefs) wokenByTick(th *thread) error {
	how := "landgo_sleep wasn't called for it"
	if b.in.profile != nil {
		how = "it is in none of the profile's sleepers, and in no function of its sleep"
	}
	return b.core.invalid(kernel.GapSchedule, th, th.Regs.RIP,
		"a tick has woken thread %s, which waits for other threads, as the kernel says, and not for time: %s", b.core.Name(th.ID), how)
}

// readyByTick: landgo_ready is called for a thread by a tick, or by the idle thread.
func (b *beliefs) readyByTick(th *thread) error {
	o := &th.own
	switch {
	case o.State == ownBlocked:
		return b.wokenByTick(th)
	case o.State != ownReady || !o.Tail || o.Kind != tailOfYield || o.Interrupted:
	case b.in.threads[b.in.running.Get()].own.Idle:
		return b.core.invalid(kernel.GapSchedule, th, th.Regs.RIP,
			"a tick has woken thread %s, for which the kernel idled: neither landgo_sleep nor landgo_unready was called when it began to wait", b.core.Name(th.ID))
	case !b.known.Probes:
		// It waits, perhaps; or ready threads are put into another list.
		b.known.Probes = true
		b.core.Refine()
	}
	return nil
}

// checkWoken looks whether a tick has woken one of those that wait.
func (b *beliefs) checkWoken(waiting []trace.TID) error {
	for _, t := range waiting {
		if th := &b.in.threads[t]; th.Live() && b.in.saysReady(th.own.Number) {
			return b.wokenByTick(th)
		}
	}
	return nil
}

// checkIdle: where no thread can run, for all wait or have ended, no tick changes that. It
// is tried once for each set of places where they stand, and taken back: what a kernel
// or its profile says could be wrong.
func (k *Kernel) checkIdle(tr *trace.Transition) (err error) {
	if tr.End == trace.EndProcess || tr.End == trace.EndBug || len(k.could) > 0 || k.Refined() {
		return nil
	}
	h := fnv.New64a()
	for i := range k.threads {
		if th := &k.threads[i]; k.threads[i].Exists {
			fmt.Fprintln(h, i, th.own.State, th.own.Ended, th.Regs.RIP, th.Regs.RSP)
		}
	}
	if k.idled[h.Sum64()] {
		return nil
	}
	k.idled[h.Sum64()] = true
	k.probing = true
	k.tryOut(func() {
		was := k.running.Get()
		tr := &trace.Transition{Thread: trace.TID(was)}
		for ticks := 0; ticks < vainTicks && err == nil; {
			ticked, done, bad := k.ticker.onward(tr)
			if bad == nil && !done {
				bad = k.beliefs.look(tr)
			}
			if done || isUnreached(bad) {
				return
			}
			if r := &k.threads[k.running.Get()]; bad == nil && k.running.Get() != was && !r.own.Idle && r.Stand != scheduler.StandSpin {
				bad = k.core.invalid(kernel.GapSchedule, r, r.Regs.RIP,
					"the kernel gives the processor to thread %s, where no thread is ready by what it or its profile says", k.Name(r.ID))
			}
			if ticked {
				ticks++
			}
			err = bad
		}
	})
	k.probing = false
	return err
}

// inSleep reports whether a thread is in a call of a function in which threads
// wait for time to pass.
func (b *beliefs) inSleep(th *thread) bool {
	for i := range th.own.Calls {
		if th.own.Calls[i].Sleep {
			return true
		}
	}
	return false
}

// bear makes a thread exist.
func (b *beliefs) bear(t, parent trace.TID, own ownThread) {
	b.ensure(t)
	b.core.SetThread(t, scheduler.Thread{ID: t, Exists: true, Parent: parent, Ctx: emu.Ctx(b.in.cpu.Get())})
	b.core.edit(t).own = own
	if !own.Idle {
		b.in.machine.Put(&b.in.born, b.in.born.Get()+1)
	}
}

// createdOwn names a new thread: the creator's n-th.
func (b *beliefs) createdOwn(u *turn, n uint64) error {
	b.core.edit(u.th.ID).own.Children++
	t, err := b.core.Intern(u.th.ID, u.th.own.Children)
	if err != nil {
		return b.core.invalid(kernel.GapThreads, u.th, b.proc.regs.RIP, "%v", err)
	}
	b.bear(t, u.th.ID, ownThread{Number: n, Tail: true})
	b.core.edit(t).Created = b.proc.returnAddress()
	u.tr.Did(trace.Op{Kind: trace.OpCreate, Obj: uint64(t), PC: b.proc.regs.RIP})
	return nil
}
