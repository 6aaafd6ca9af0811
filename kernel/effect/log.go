// Package effect is the door between a kernel and the shared state of its
// guest's threads. That is the guest's memory, the permissions of its pages,
// and the words of the kernel's own state. A kernel that has no other way in
// can't touch anything without that being on record.
//
//	handler ── Get, Set ──────> Word     a word of the kernel's state
//	        ── Read, Write ───> memory   bytes of the guest's
//	        ── Protect, Can ──> pages    what may be accessed
//	             └── Log: what the call touched, for which thread
//
// A Word has an address below the guest's mappable range, so the search treats
// it like memory. It is private until a second thread touches it and one has
// changed it, and an access from then on. There is no list of dependent calls.
//
// Invariant: a handler's result is a function of its arguments and of its reads
// through the Log.
package effect

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A Word is 64 bits of a kernel's state. Only a Log reads and changes it, and its
// changes go back with the machine.
type Word struct {
	v  uint64
	at uint64
}

// At makes a word that is known by an address; several words may share one, and
// are touched together then.
func At(at, v uint64) Word { return Word{v: v, at: at} }

// Peek is the value, for reports and for the kernel's own questions: it isn't
// recorded.
func (w *Word) Peek() uint64 { return w.v }

// Name is the word's address.
func (w *Word) Name() uint64 { return w.at }

// Log records the accesses of one call. The zero value isn't usable: see New.
type Log struct {
	m  *emu.Machine
	pc uint64
	by trace.TID
	// by is the caller but where the call works on another thread's stack.
	caller  trace.TID
	made    []trace.Access // the caller's
	others  []kernel.Deed  // the call's effects as another thread
	pages   []kernel.Pages
	emptied []kernel.Pages // of pages: those whose contents are gone
	divided copies
}

// New makes the door to a machine.
func New(m *emu.Machine) Log { return Log{m: m} }

// Begin forgets the records. A call of thread t at pc follows.
func (l *Log) Begin(t trace.TID, pc uint64) {
	l.by, l.caller, l.pc = t, t, pc
	l.made, l.others, l.pages, l.emptied = l.made[:0], l.others[:0], l.pages[:0], l.emptied[:0]
	l.divided.left, l.divided.out = nil, nil
}

// Made lists the caller's accesses: in order, without those that an earlier one
// covers. Valid until the next Begin.
func (l *Log) Made() []trace.Access { return l.made }

// Others lists the accesses for other threads. Valid until the next Begin.
func (l *Log) Others() []kernel.Deed { return l.others }

// Pages are those whose contents or permissions were changed. Valid until the next
// Begin.
func (l *Log) Pages() []kernel.Pages { return l.pages }

// Emptied are those of them whose contents are gone.
func (l *Log) Emptied() []kernel.Pages { return l.emptied }

// As records f's accesses as another thread's: a call's accesses to a thread's
// own stack don't make it shared with the caller.
func (l *Log) As(t trace.TID, f func()) {
	by := l.by
	l.by = t
	f()
	l.by = by
}

// Touch records an access. A handler that knows more of an access (that it is indivisible) calls
// this before Read or Write. Their accesses are covered then.
func (l *Log) Touch(addr, size uint64, flags trace.AccessFlags) {
	for size > 0 {
		n := min(size, maxRecord)
		l.touch(addr, uint32(n), flags)
		addr, size = addr+n, size-n
	}
}

// maxRecord bounds one record, whose size has 32 bits.
const maxRecord = 1 << 30

func (l *Log) touch(addr uint64, size uint32, flags trace.AccessFlags) {
	if len(l.divided.read) > 0 && flags == 0 && l.divided.covers(addr, uint64(size)) {
		l.touchRest(addr, addr+uint64(size), flags)
		return
	}
	a := trace.Access{Addr: addr, PC: l.pc, Size: size, Flags: flags}
	if l.by != l.caller {
		l.others = append(l.others, kernel.Deed{Thread: l.by, Access: a})
		return
	}
	for i := range l.made {
		o := &l.made[i]
		if o.Addr == addr && o.Size == size {
			o.Flags |= flags // the same bytes again, for more
			return
		}
		if o.Addr <= addr && addr+uint64(size) <= o.Addr+uint64(o.Size) && (o.IsWrite() || flags&trace.Write == 0) {
			return
		}
	}
	if n := len(l.made); n > 0 { // a string is read byte by byte
		o := &l.made[n-1]
		if o.Flags == flags && o.Addr+uint64(o.Size) == addr && uint64(o.Size)+uint64(size) <= maxRecord && flags&trace.Library == 0 {
			o.Size += size
			return
		}
	}
	l.made = append(l.made, a)
}

// Get reads a word.
func (l *Log) Get(w *Word) uint64 {
	l.touch(w.at, wordSize, trace.Library)
	return w.v
}

// Set assigns a word. An assignment of the same value is a change all the same:
// in another order it would be one.
func (l *Log) Set(w *Word, v uint64) {
	l.touch(w.at, wordSize, trace.Library|trace.Write)
	l.Init(w, v)
}

// Init assigns a word of an object that the call creates, or that concerns no
// thread: nothing is recorded.
func (l *Log) Init(w *Word, v uint64) { l.m.Set(&w.v, v) }

// A Bit is a word that is a yes or no: recorded, unlike a Flag.
type Bit struct{ Word }

// Is reads a bit.
func (l *Log) Is(b *Bit) bool { return l.Get(&b.Word) != 0 }

// Put assigns a bit.
func (l *Log) Put(b *Bit, on bool) { l.Set(&b.Word, yes(on)) }

// InitBit is Init of a bit.
func (l *Log) InitBit(b *Bit, on bool) { l.Init(&b.Word, yes(on)) }

func yes(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// Only reports whether all changes of a kernel's words are of one since the machine's log had a length.
func (l *Log) Only(w *Word, since int) bool { return l.m.OnlySet(&w.v, since) }

// A Flag is a yes or no of a kernel's state that concerns one thread alone: nothing is
// recorded of it. Only a Log changes it.
type Flag struct{ v uint64 }

// On is its value.
func (f *Flag) On() bool { return f.v != 0 }

// Turn assigns a flag.
func (l *Log) Turn(f *Flag, on bool) {
	l.m.Set(&f.v, yes(on))
}

const wordSize = 8
