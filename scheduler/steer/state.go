package steer

import (
	"encoding/binary"
	"errors"
	"hash/fnv"

	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A kernel's state: going back to one, and its digests.

// Rewind implements por.System.
func (k *Kernel) Rewind(to trace.Mark) {
	remaps := k.remaps()
	k.System.Rewind(to)
	k.proc.forget()
	k.answers.forget()
	if remaps {
		k.machine.FlushBoard()
	}
}

// State is a digest of what an execution left behind, for replays: the writable
// memory of the kernel's own image, and the threads that have ended. Page tables aren't in it:
// the engine marks their entries as used, which nothing takes back.
func (k *Kernel) State() uint64 { return k.digest(func(uint64) bool { return false }) }

// Outcome is State without what the order of threads that don't interfere may
// change: what ticks touch, and threads' stacks. For tests
// that compare searches.
func (k *Kernel) Outcome() uint64 {
	stacks := map[uint64]bool{}
	for i := range k.threads {
		if pa, ok := k.translate(k.threads[i].Regs.RSP); k.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
		if pa, ok := k.translate(k.threads[i].own.Frames - 1); k.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
	}
	return k.digest(func(at uint64) bool {
		owner, _ := k.machine.Sharing(at)
		return stacks[at>>abi.PageShift] || owner == handlerThread || k.known.Ticked[at>>3].Writes != 0
	})
}

func (k *situation) digest(without func(at uint64) bool) uint64 {
	h := fnv.New64a()
	tables := k.pageTables()
	word := make([]byte, 0, 16)
	for _, seg := range k.image.Segments {
		if !seg.Write {
			continue
		}
		for lo, at := k.image.Physical(seg.Addr), k.image.Physical(seg.Addr); at < lo+seg.MemSize; at += 8 {
			v := k.machine.Read64(at)
			if v == 0 || tables[at>>abi.PageShift] || without(at) { // most words are 0
				continue
			}
			h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(word, at), v))
		}
	}
	for i := range k.threads {
		if k.threads[i].Exists {
			h.Write([]byte{byte(b2i(k.threads[i].Live()))})
		}
	}
	return h.Sum64()
}

// Digest implements por.Hasher.
func (k *Kernel) Digest() (trace.Digest, error) {
	return trace.Digest{}, errors.New("the states of a kernel can't be told apart yet: use another search")
}

// CatchUp learns that ready threads are to be tried, if ticks don't bring the
// processor to one that seems able to run, and to ignore priorities. A search
// learns that when it lets the threads run; a replay of the execution that it
// then reports never does.
func (k *Kernel) CatchUp() (news bool) {
	if k.ranks.ranked() {
		if k.tryRanks(); k.known.Unranked {
			return k.Settled()
		}
	}
	best := k.ranks.bestPriority()
	for i := range k.threads {
		th := &k.threads[i]
		if !k.known.Probes && k.threads[i].Exists && th.Stand != scheduler.StandFailure && k.canRun(th, best) && !k.reachable(th) {
			k.known.Probes = true
			k.Noted()
			return true
		}
	}
	return k.Settled() // the tries may have met news, too
}

// Distrust implements what a replay asks: nothing is trusted.
func (k *Kernel) Distrust() bool { return false }
