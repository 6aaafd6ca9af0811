package emu

import (
	"math/rand/v2"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// touch runs a thread over the guest (which touches one granule) and returns
// the stop.
func (g *guest) touch(thread trace.TID, flags RunFlags) *Stop {
	return g.Run(&Run{From: g.start(uint64(thread) % 4), Thread: thread, Flags: flags, Allow: 9})
}

func learner(t *testing.T, insn string) *guest {
	g := load(t, insn+"\nhlt\n", Config{})
	return g
}

// Memory is private until a second thread touches it; from then on every access
// is an event, also after a rewind.
func TestSharingIsLearned(t *testing.T) {
	g := learner(t, "incl (%rbx)")
	mark := g.Mark()
	if s := g.touch(3, StopShared); len(s.Accesses) != 0 || s.Learned {
		t.Errorf("first thread: %+v", *s)
	}
	if owner, shared := g.Sharing(dataAt + 7); owner != 3 || shared {
		t.Errorf("owner %d, shared %v", owner, shared)
	}
	if s := g.touch(3, StopShared); len(s.Accesses) != 0 || s.Learned {
		t.Errorf("first thread again: %+v", *s)
	}
	if s := g.touch(4, StopShared); len(s.Accesses) != 2 || !s.Learned {
		t.Errorf("second thread: %+v", *s)
	}
	g.Rewind(mark)
	if _, shared := g.Sharing(dataAt); !shared {
		t.Error("forgotten by a rewind")
	}
	for i := range trace.TID(5) {
		if s := g.touch(i, StopShared); len(s.Accesses) != 2 || s.Learned {
			t.Errorf("thread %d: %+v", i, *s)
		}
	}
	if _, shared := g.Sharing(dataAt + 8); shared {
		t.Error("the next granule is shared")
	}
}

// The stop comes before the very access by which sharing is learned.
func TestStopAtFirstSharedAccess(t *testing.T) {
	g := learner(t, "incl (%rbx)")
	g.touch(0, 0)
	s := g.Run(&Run{From: g.start(1), Thread: 1, Flags: StopShared})
	if s.Why != StopAccess || !s.Learned || s.Insns != 0 || s.Access.Addr != dataAt {
		t.Errorf("%+v", *s)
	}
}

// An access over two granules, with one of them shared, is an event as a whole.
func TestEventOverTwoGranules(t *testing.T) {
	g := learner(t, "mov 4(%rbx), %rax")
	g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + 4}), Thread: 1})
	if s := g.touch(0, StopShared); events(s.Accesses) != "r8@4 " || !s.Learned {
		t.Errorf("%+v", *s)
	}
}

func TestSoloRun(t *testing.T) {
	g := learner(t, "incl (%rbx)")
	if s := g.touch(0, Solo|StopShared); len(s.Accesses) != 0 {
		t.Errorf("%+v", *s)
	}
	if owner, shared := g.Sharing(dataAt); owner != trace.NoThread || shared {
		t.Error("a solo run took memory")
	}
	g.touch(1, 0)
	g.touch(2, 0)
	if s := g.touch(0, Solo|StopShared); len(s.Accesses) != 0 {
		t.Errorf("shared memory in a solo run: %+v", *s)
	}
}

// Quiet code leaves no trace of itself; watched code only where others have been.
func TestQuietAndWatch(t *testing.T) {
	g := learner(t, "incl (%rbx)")
	g.touch(1, Quiet|StopShared)
	if owner, _ := g.Sharing(dataAt); owner != trace.NoThread {
		t.Error("quiet code took memory")
	}
	for i := range trace.TID(3) { // trusted code of all threads may share among itself
		if s := g.touch(i, Quiet|Watch|StopShared); len(s.Accesses) != 0 || s.Learned {
			t.Errorf("%+v", *s)
		}
	}
	if s := g.touch(1, StopShared); !s.Learned || len(s.Accesses) != 0 {
		t.Errorf("untrusted code takes what was trusted: %+v", *s)
	}
	if s := g.touch(1, Quiet|Watch); s.Learned || len(s.Accesses) != 0 {
		t.Errorf("trusted code of the owner: %+v", *s)
	}
	if s := g.touch(2, Quiet|StopShared); s.Why != StopPrivileged || s.Learned || len(s.Accesses) != 0 {
		t.Errorf("quiet code elsewhere: %+v", *s)
	}
	if s := g.Run(&Run{From: g.start(2), Thread: 2, Flags: Quiet | Watch | StopShared}); s.Why != StopPrivileged || !s.Learned || len(s.Accesses) != 2 {
		t.Errorf("trusted code of another: %+v", *s)
	}
	if _, shared := g.Sharing(dataAt); !shared {
		t.Error("not shared")
	}
	if s := g.touch(2, Quiet|Watch); s.Learned || len(s.Accesses) != 2 {
		t.Errorf("shared memory in trusted code: %+v", *s)
	}
}

// There are owners for 250 threads: what others touch counts as shared.
func TestManyThreads(t *testing.T) {
	g := learner(t, "incl (%rbx)")
	if s := g.touch(249, StopShared); len(s.Accesses) != 0 {
		t.Errorf("%+v", *s)
	}
	g = learner(t, "incl (%rbx)")
	if s := g.touch(250, StopShared); len(s.Accesses) != 2 || s.Learned {
		t.Errorf("%+v", *s)
	}
}

// Whether sharing is learned or known from the start, the same accesses are
// events once it is known.
func TestDeclaredSharing(t *testing.T) {
	g := learner(t, "mov 8(%rbx), %eax\n incl (%rbx)\n push %rax")
	g.DeclareAllShared(true)
	if s := g.touch(0, StopShared); events(s.Accesses) != "r4@8 r4@0 w4@0 w=8@1064952 " {
		t.Errorf("%s", events(s.Accesses))
	}
}

func TestStopAtomic(t *testing.T) {
	g := small(t, "incl (%rbx)\nlock incl (%rbx)\nmov (%rbx), %eax\nxchg %eax, (%rbx)", 0)
	s := g.Run(&Run{From: g.start(0), Flags: StopAtomic})
	if s.Why != StopAccess || s.Insns != 1 || events(s.Accesses) != "r4@0 w4@0 " {
		t.Errorf("%+v", *s)
	}
	s = g.Run(&Run{From: s.Ctx, Flags: StopAtomic, Allow: 1})
	if s.Why != StopAccess || s.Insns != 2 || events(s.Accesses) != "M4@0 r4@0 " {
		t.Errorf("%+v", *s)
	}
}

func TestRecordAll(t *testing.T) {
	g := learner(t, "incl (%rbx)\n lock incl 8(%rbx)\n movups 4(%rbx), %xmm0")
	g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + 8}), Thread: 1})
	s := g.touch(0, StopShared|RecordAll)
	private := ""
	for _, a := range s.Accesses {
		if a.Flags&Private != 0 {
			private += "p"
		} else {
			private += "s"
		}
	}
	// The second thread's first granule is the first thread's second.
	if events(s.Accesses) != "r4@0 w4@0 M4@8 r8@4 r8@12 " || private != "ppsss" {
		t.Errorf("%s%s", events(s.Accesses), private)
	}
}

// A loop's repeated accesses take no memory when nothing stops at them.
func TestRepeatsAreDropped(t *testing.T) {
	g := small(t, "mov $100000, %ecx\n1: mov (%rbx), %eax\n mov %ecx, 8(%rbx)\n dec %ecx\n jnz 1b", 0)
	s := g.Run(&Run{From: g.start(0)})
	if len(s.Accesses) != 2 {
		t.Errorf("%d records", len(s.Accesses))
	}
	s = g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 1 << 30})
	if len(s.Accesses) != 200000 {
		t.Errorf("%d records", len(s.Accesses))
	}
}

func TestTracePCs(t *testing.T) {
	g := small(t, "mov $3, %ecx\n1: incl (%rbx)\n dec %ecx\n jnz 1b", 0)
	s := g.Run(&Run{From: g.start(0), Flags: TracePCs})
	if len(s.PCs) != 10 || uint64(len(s.PCs)) != s.Insns || s.PCs[0] != g.entry || s.PCs[4] != g.entry+5 {
		t.Errorf("%#x", s.PCs)
	}
	s = g.Run(&Run{From: g.start(0), Flags: TracePCs | StopShared, Allow: 1})
	if len(s.PCs) != 1 || !s.Half {
		t.Errorf("%#x", s.PCs)
	}
	g = small(t, "nop\nmov 0x10, %eax", 0)
	s = g.Run(&Run{From: g.start(0), Flags: TracePCs})
	if s.Why != StopFault || len(s.PCs) != 1 {
		t.Errorf("%#x", s.PCs)
	}
	g = small(t, "mov $9000, %ecx\n1: dec %ecx\n jnz 1b", 0)
	s = g.Run(&Run{From: g.start(0), Flags: TracePCs})
	if len(s.PCs) != 4096 || s.PCs[4095] != g.entry+7 || s.PCs[4094] != g.entry+5 {
		t.Errorf("%d pcs", len(s.PCs))
	}
}

// Two machines' separate knowledge is, together, that of one machine.
func TestLearnSharing(t *testing.T) {
	a, b := learner(t, "incl (%rbx)"), learner(t, "incl (%rbx)")
	a.touch(1, StopShared)
	if news, err := b.LearnSharing(a.SharingPages()); news || err != nil {
		t.Errorf("one owner: news %v, %v", news, err)
	}
	if owner, shared := b.Sharing(dataAt); owner != 1 || shared {
		t.Errorf("owner %d, shared %v", owner, shared)
	}
	c := learner(t, "incl (%rbx)")
	c.touch(2, StopShared)
	for _, again := range []bool{true, false} {
		if news, err := b.LearnSharing(c.SharingPages()); news != again || err != nil {
			t.Errorf("two owners: news %v, %v", news, err)
		}
	}
	if s := b.touch(1, StopShared); len(s.Accesses) != 2 || s.Learned {
		t.Errorf("after learning: %+v", *s)
	}
	if _, err := b.LearnSharing([]SharingPage{{Number: 1 << 50, Bytes: make([]byte, abi.PageSize)}}); err == nil {
		t.Error("a page beyond the address space is accepted")
	}
}

// What SharedHull remembers is what the bytes say, whatever made them shared.
func TestSharedHullRemembers(t *testing.T) {
	g := learner(t, "incl (%rbx)\nincl 64(%rbx)\nmovl 128(%rbx), %eax")
	r := rand.New(rand.NewPCG(1, 2))
	lo, hi := uint64(dataAt), uint64(dataAt)+4<<10
	naive := func(lo, hi uint64) (hull Range) {
		for at := lo; at < hi; at += 8 {
			if _, shared := g.Sharing(at); shared && hull.Hi == 0 {
				hull = Range{Lo: at, Hi: at + 8}
			} else if shared {
				hull.Hi = at + 8
			}
		}
		return hull
	}
	g.DeclareConstant([]Range{{Lo: lo + 64, Hi: lo + 72}, {Lo: hi - 256, Hi: hi}})
	for i := range 2000 {
		at, thread := lo+8*r.Uint64N((hi-lo)/8), []trace.TID{0, 1, 2, 300}[r.IntN(4)]
		from := at &^ 15
		g.SharedHull(from, from+16)
		switch r.IntN(7) {
		case 0:
			g.Touch(thread, at, 8, r.IntN(2) == 0)
		case 1:
			g.TouchTrusted(thread, at, 8, r.IntN(2) == 0)
		case 2:
			g.Claim(thread, at, at+8, func(trace.TID, uint64) bool { return false })
		case 3:
			g.Others(thread, at, 8)
		case 4:
			from = lo + 64*r.Uint64N(3)
			g.SharedHull(from, from+16)
			g.touch(thread, StopShared)
		case 5:
			g.Vary(at, 8)
		case 6:
			other := learner(t, "nop")
			other.Touch(thread, at, 8, true)
			if _, err := g.LearnSharing(other.SharingPages()); err != nil {
				t.Fatal(err)
			}
			other.Close()
		}
		if want, got := naive(from, from+16), g.SharedHull(from, from+16); want != got {
			t.Fatalf("after %d: %v, want %v", i, got, want)
		}
	}
	if g.SharedHull(lo, hi).Hi == 0 {
		t.Error("nothing became shared")
	}
}

// What code makes shared, SharedHull sees, though it has looked before: each in a way of its own.
func TestSharedHullSeesCode(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*guest)
		flags  RunFlags
	}{
		"a constant":         {func(g *guest) { g.DeclareConstant([]Range{{Lo: dataAt, Hi: dataAt + 8}}) }, StopShared},
		"all is shared":      {func(g *guest) { g.DeclareAllShared(true) }, StopShared},
		"another's":          {func(g *guest) { g.Touch(2, dataAt, 8, true) }, StopShared},
		"another's, trusted": {func(g *guest) { g.Touch(2, dataAt, 8, true) }, Quiet | Watch},
	} {
		t.Run(name, func(t *testing.T) {
			g := learner(t, "incl (%rbx)")
			c.before(g)
			if h := g.SharedHull(dataAt, dataAt+8); h.Hi != 0 {
				t.Fatalf("before: %v", h)
			}
			g.touch(1, c.flags)
			if h := g.SharedHull(dataAt, dataAt+8); h != (Range{Lo: dataAt, Hi: dataAt + 8}) {
				t.Errorf("%v", h)
			}
		})
	}
}

// What others have touched of a range is what they have touched of its words. Words that one thread
// has touched alone are looked at eight together.
func TestTouchedByOthersOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 18))
	const lo, words = uint64(dataAt), 200
	mine, others := 0, 0
	for i := range 30 {
		g, owner := learner(t, "nop"), trace.TID(1)
		if i%3 == 0 {
			owner = 300 // has no number of its own among the sharing bytes
		}
		for k := range 1 + r.Uint64N(words) {
			g.Touch(owner, lo+8*k, 8, true)
		}
		for range 100 {
			at, thread := lo+8*r.Uint64N(words), []trace.TID{0, 1, 2, 300}[r.IntN(4)]
			switch r.IntN(12) {
			case 0:
				g.Touch(thread, at, 8, true)
			case 1:
				g.TouchTrusted(thread, at, 8, true)
			}
			n := 8 * (1 + r.Uint64N(words-(at-lo)/8))
			want := false
			for a := at; a < at+n; a += 8 {
				want = want || g.TouchedByOthers(int32(thread), a, 8)
			}
			if want {
				others++
			} else {
				mine++
			}
			if got := g.TouchedByOthers(int32(thread), at, n); got != want {
				t.Fatalf("%d bytes from %#x, thread %d: %v, want %v", n, at, thread, got, want)
			}
		}
	}
	if mine < 300 || others < 300 {
		t.Errorf("%d ranges of one thread, %d of others", mine, others)
	}
}
