package story

import (
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/race"
)

// Code of a library's headers, as that of std::atomic, has lines, but not the user's. Which line
// of the user's an access is for, only the thread's stack at the access says. A step may have
// several accesses, and the stack is known where it begins. So the path is run once more, in a
// session of its own, and its steps are left at these accesses (stackWithin).

// mostCallers is how many of an execution's last accesses are looked at, and longestCalled how long
// an execution may be for that.
const mostCallers, longestCalled = 256, 20_000

// callers finds the stacks of accesses in a library's code that has lines.
func (st *Story) callers() {
	if len(st.path) > longestCalled {
		return
	}
	var wanted []record.At
	for i := len(st.Beats) - 1; i >= 0 && len(wanted) < mostCallers; i-- {
		b := &st.Beats[i]
		if b.By != nil || st.IsBeside(b.Step.Thread) {
			continue
		}
		for k := len(b.Accesses) - 1; k >= 0; k-- {
			if st.inHeader(b.Accesses[k].PC) {
				wanted = append(wanted, record.At{Beat: i, Access: k})
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	slices.Reverse(wanted)
	beside, err := st.OpenAs(st.Session.Config)
	if err != nil {
		return
	}
	defer beside.Close()
	if _, err := beside.Guest.Learn(st.Guest.Knowledge()); err != nil {
		return
	}
	beside.Guest.Rewind(beside.Root)
	for i := range st.path {
		b := &st.Beats[i]
		for ; len(wanted) > 0 && wanted[0].Beat == i; wanted = wanted[1:] {
			a := &b.Accesses[wanted[0].Access]
			stack, err := stackWithin(beside, &st.path[i], &race.Access{PC: a.PC, Insn: a.Insn})
			if err != nil {
				return
			}
			if b.Stacks == nil {
				b.Stacks = make([][]result.Frame, len(b.Accesses))
			}
			b.Stacks[wanted[0].Access] = stack
		}
		if _, err := beside.Take(&st.path[i]); len(wanted) == 0 || err != nil {
			return // for finer points, the rest of the path has other steps there
		}
	}
}

// inHeader reports whether code has lines, and none of them is the user's.
func (st *Story) inHeader(pc uint64) bool {
	lines := false
	for _, f := range st.Image.Frames(pc) {
		if f.File != "" && !f.Library() {
			return false
		}
		lines = lines || f.File != ""
	}
	return lines
}
