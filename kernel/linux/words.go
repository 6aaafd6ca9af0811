package linux

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// The addresses by which the words of the kernel's state are known, of the map in package
// effect. Words that are always used together share one.
const (
	wordObjects     = effect.Objects   // three for each
	wordOpen        = effect.OpenFiles // from the first open file on
	wordActions     = effect.Actions   // a signal's action, from number 0 on
	wordPending     = effect.Pending
	wordFiles       = wordPending + effect.Step // which files are open, and how far they have been read
	wordBreak       = wordFiles + effect.Step
	wordOutput      = wordBreak + effect.Step
	wordTimers      = wordOutput + effect.Step
	wordDescriptors = effect.Descriptors // from descriptor 0 on
	wordThreads     = effect.Threads     // threadWords for each
	threadWords     = 4 * effect.Step
	maxWordThreads  = (effect.WordsEnd - wordThreads) / threadWords

	// Words from effect.Lazy on count once they have been read: sleeps move the
	// clock, and nearly no program looks at it.
	wordClock  = effect.Clock
	wordList   = effect.Lazy + effect.Step
	wordMemory = effect.Lazy + 2*effect.Step
	wordFences = effect.Lazy + 3*effect.Step
	wordLimits = effect.Lazy + 4*effect.Step
	wordDumps  = effect.Lazy + 5*effect.Step
)

// A thread's words: those that signals read, whether it lives, those that
// only its own calls use, and what is said of it (traits). Threads beyond those that there are addresses for
// share them: that makes more calls depend on each other than do.
func threadWord(t trace.TID, which uint64) uint64 {
	return wordThreads + uint64(t)%maxWordThreads*threadWords + which
}

const (
	wordSignals = iota * effect.Step
	wordLife
	wordOwn
	wordTraits
)

// objectWord and descriptionWord are the addresses of the words of objects and of open files.
// Those beyond the room share some.
func objectWord(n, which uint64) uint64 { return wordObjects + (3*n+which)%256*effect.Step }
func descriptionWord(n uint64) uint64   { return wordOpen + n%128*effect.Step }

// LifeWord is the word that says whether a thread lives.
func (k *Kernel) LifeWord(t trace.TID) uint64 { return threadWord(t, wordLife) }

// OutputWord is the word that a call reads which writes to standard output.
func (k *Kernel) OutputWord() uint64 { return wordOutput }

// WordName describes the word at an address.
func (k *Kernel) WordName(addr uint64) (string, bool) {
	switch {
	case addr < wordActions:
		return k.objects.objectAt(addr)
	case addr >= effect.WordsEnd:
		return "", false
	case addr < wordActions+effect.Step*numSignals:
		return fmt.Sprintf("the action of signal %d", (addr-wordActions)/effect.Step), true
	case addr >= wordThreads:
		names := [...]string{"the signals of thread %s", "the life of thread %s", "the state of thread %s", "the properties of thread %s"}
		t, which := trace.TID((addr-wordThreads)/threadWords), (addr-wordThreads)%threadWords/effect.Step
		if int(t) < len(k.roster.threads) && k.roster.threads[t] != nil {
			return fmt.Sprintf(names[which], k.host.Name(t)), true
		}
	case addr >= wordDescriptors:
		return fmt.Sprintf("descriptor %d", (addr-wordDescriptors)/effect.Step), true
	}
	name, ok := map[uint64]string{
		wordPending: "the process's signals", wordFiles: "the open files", wordBreak: "the break", wordOutput: "the output",
		wordTimers: "the timers",
		wordClock:  "the clock", wordList: "the list of threads", wordMemory: "the memory in use",
		wordFences: "the process's use of membarrier", wordLimits: "the limits of the process", wordDumps: "whether the process can be dumped",
	}[addr]
	return name, ok
}

// objectAt describes the object that has words at an address.
func (b *objects) objectAt(addr uint64) (string, bool) {
	if o := b.madeAt(addr); o != nil {
		return objectNames[o.kind.Peek()], true
	}
	if addr >= wordOpen && addr < wordOpen+128*effect.Step {
		return fmt.Sprintf("open file %d", (addr-wordOpen)/effect.Step), true
	}
	return "", false
}

func (b *objects) madeAt(addr uint64) *object {
	for n := range b.n.Peek() {
		if o := b.list[n]; addr == o.at[0] || addr == o.at[1] || addr == o.at[2] {
			return o
		}
	}
	return nil
}

// WordMade is the stack of the call that made what has words at an address, nil for none.
func (k *Kernel) WordMade(addr uint64) []uint64 {
	if o := k.objects.madeAt(addr); o != nil {
		return o.made
	}
	return nil
}
