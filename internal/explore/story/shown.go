package story

import (
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Shown is an access for a person.
func (st *Story) Shown(x record.At) result.Access {
	j, k := x.Beat, x.Access
	b := &st.Beats[j]
	a := st.Access(st.OwnerOf(b.MadeBy(k)), &b.Accesses[k])
	switch {
	case st.IsBuffer(b.Step.Thread) && !st.Written(j, k):
		a.Op = "flushes"
	case st.Delayed(j, k):
		a.Op = "buffers"
	}
	a.Old, a.New = b.Values[k].Old, b.Values[k].New
	a.Held = st.Held(record.At{Beat: j, Access: k})
	if a.Symbol == "" && k < len(b.Names) {
		a.Symbol = b.Names[k]
	}
	if len(b.Stack) > 0 && b.Stack[0] == b.Accesses[k].PC && standsInLibrary(st.Session, b.Accesses[k].PC) {
		a.Stack = st.Frames(b.Stack)
	}
	if b.Stacks != nil && b.Stacks[k] != nil {
		a.Stack = b.Stacks[k]
	}
	a.Bookkeeping = st.bookkeeping(&a)
	return a
}

// bookkeeping reports whether an access is of no interest to people. It is an access to a
// word that a kernel has in landgo's model, to the return address on a stack, or a library's access to what isn't the user's.
// Or it is the look at a word that the dynamic linker keeps a function's address in.
func (st *Story) bookkeeping(a *result.Access) bool {
	addr := uint64(a.Address)
	if addr < record.LowestVariable || a.Symbol == "" && st.Guest.IsReturn(addr) {
		return true
	}
	f := result.Innermost(a.Stack)
	switch {
	case !st.lines():
		return false
	case f.File == "" || f.Library:
		return true
	case inLibrary(a.Stack) || len(a.Stack) > 0 && a.Stack[0].File == "":
		b := st.around(addr)
		return b != nil && b.inner || st.linkers(a) || b == nil && st.libcs(a)
	}
	return false
}

// libcs reports whether an access is the C library's to what it keeps for itself, or only a
// look at what it synchronises threads by. What it changes in what it keeps of another thread
// is of interest: the thread is cancelled, say.
func (st *Story) libcs(a *result.Access) bool {
	if of := st.Guest.Controlled(uint64(a.Address)); of != trace.NoThread {
		return a.New == "" || st.Guest.Name(of) == a.Thread
	}
	inner := false
	for i := range a.Stack {
		f := &a.Stack[i]
		if f.File != "" {
			break
		}
		inner = inner || st.OnThreads(uint64(f.Address))
	}
	if st.Image.Declared(uint64(a.Address)) {
		return inner && a.New == "" && a.Op == "reads"
	}
	return a.Symbol != "" && (inner || strings.HasPrefix(a.Symbol, "__"))
}

// linkers reports whether an access is to memory that a dynamically linked program has beside
// named variables. These are addresses from its dynamic linker, and libraries' own data.
func (st *Story) linkers(a *result.Access) bool {
	return a.Symbol == "" && st.Image.PartAt(uint64(a.Address)) != nil
}

// lines reports whether the user's code has source lines: main, or in Rust, whose main is
// the compiler's, any function.
func (st *Story) lines() bool {
	if main, ok := st.Image.Symbol("main"); !ok {
		return false
	} else if !standsInLibrary(st.Session, main.Addr) {
		return true
	}
	if st.lined == nil {
		st.lined = new(bool)
		for i := range st.Image.Functions {
			if *st.lined = !standsInLibrary(st.Session, st.Image.Functions[i].Addr); *st.lined {
				break
			}
		}
	}
	return *st.lined
}
