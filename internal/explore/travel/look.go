package travel

import (
	"encoding/binary"
	"fmt"

	"landgo/emu"
	"landgo/internal/debugger"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The state at a moment, as it is shown.

// here brings the machine to the present moment, from which a search may have taken it.
func (t *Travel) here() error {
	if n := t.pieceAt(t.at); t.live == n && t.within == (n < len(t.pieces) && t.at != t.pieces[n].base) {
		if !t.within || t.s.Guest.Position(t.pieces[n].step.Thread).Insns == t.pieces[n].from.Insns+t.at-t.pieces[n].base {
			return nil
		}
	}
	return t.bring(t.at)
}

// Threads implements debugger.Target.
func (t *Travel) Threads() (*debugger.Threads, error) {
	if err := t.here(); err != nil {
		return nil, err
	}
	out := &debugger.Threads{Current: number(t.current), Ended: t.at == t.total}
	states := t.s.Guest.Threads(nil)
	for _, x := range t.s.Guest.Starts() {
		if th := t.s.Plain.Thread(x.Thread); th.Live() || x.Thread == t.current {
			out.All = append(out.All, debugger.Thread{Number: number(x.Thread), Name: t.name(x.Thread), About: t.about(x.Thread, states)})
		}
	}
	return out, nil
}

// about says what a thread is about.
func (t *Travel) about(tid trace.TID, states []trace.Thread) string {
	if n := t.pieceAt(t.at); t.within && t.owner(t.pieces[n].step.Thread) == tid {
		return "runs"
	}
	th := session.Find(states, tid)
	switch {
	case th == nil || th.Status != trace.Ready:
		return t.s.Guest.StateText(tid)
	case t.s.Guest.NextText(tid) != "":
		return "next: " + t.s.Guest.NextText(tid)
	}
	return "can run"
}

// Registers implements debugger.Target.
func (t *Travel) Registers(thread int) (*debugger.Registers, error) {
	if err := t.here(); err != nil {
		return nil, err
	}
	tid := tidOf(thread)
	if !t.exists(tid) {
		return nil, fmt.Errorf("there is no thread %d at this moment", thread)
	}
	r := t.s.Plain.RegistersOf(tid)
	if r.RIP == 0 && tid == t.current {
		r.RIP = t.PCAt(t.at) // of a kernel's thread that hasn't run yet
	}
	out := &debugger.Registers{Regs: r}
	var f emu.FPU
	if !t.s.Platform.Ticks { // a kernel's processor is one, and switches these by itself
		f = t.s.Machine.FPU(t.s.Plain.Thread(tid).Ctx)
	}
	for i := range 8 {
		out.X87 = binary.LittleEndian.AppendUint64(out.X87, f.X87[i][0])
		out.X87 = binary.LittleEndian.AppendUint16(out.X87, uint16(f.X87[i][1]))
	}
	for i := range f.XMM {
		out.XMM = binary.LittleEndian.AppendUint64(out.XMM, f.XMM[i][0])
		out.XMM = binary.LittleEndian.AppendUint64(out.XMM, f.XMM[i][1])
	}
	out.Control, out.Status, out.Tags, out.MXCSR = f.Control, f.Status, f.Tags, f.MXCSR
	return out, nil
}

func (t *Travel) exists(tid trace.TID) bool {
	for _, x := range t.s.Guest.Starts() {
		if x.Thread == tid {
			return true
		}
	}
	return false
}

// maxMemory bounds what is asked for at once.
const maxMemory = 1 << 20

// Memory implements debugger.Target.
func (t *Travel) Memory(addr, size uint64) ([]byte, error) {
	if err := t.here(); err != nil {
		return nil, err
	}
	out := t.s.Memory(addr, min(size, maxMemory))
	if len(out) == 0 && size > 0 {
		return nil, fmt.Errorf("nothing is mapped at %#x", addr)
	}
	return out, nil
}

var _ scheduler.Viewer = (*viewer)(nil)

// Ticks counts the ticks of the run, for tests that go to each.
func (t *Travel) Ticks() uint64 { return t.total }

// PCAt is the instruction that a moment's next tick is.
func (t *Travel) PCAt(at uint64) uint64 {
	n := t.pieceAt(at)
	if n == len(t.pieces) {
		return 0
	}
	x, err := t.trail(n)
	if err != nil {
		return 0
	}
	return x.pcs[at-t.pieces[n].base]
}

// maxAuxiliary bounds it, in bytes.
const maxAuxiliary = 4096

// auxiliary is the auxiliary vector of a program that stands at its beginning. The
// kernel has put argc, the arguments, 0, the environment, 0, and the vector on its
// stack (System V ABI, AMD64 supplement, "Initial Stack").
func (t *Travel) auxiliary(sp uint64) []byte {
	const word, end = 8, 0
	at := sp + word
	for range 2 {
		for limit := 0; t.s.Machine.Read64(at) != 0; limit++ {
			if limit == 1<<16 {
				return nil
			}
			at += word
		}
		at += word
	}
	for size := uint64(2 * word); size < maxAuxiliary; size += 2 * word {
		if t.s.Machine.Read64(at+size-2*word) == end {
			return append([]byte(nil), t.s.Machine.Bytes(at, size)...)
		}
	}
	return nil
}
