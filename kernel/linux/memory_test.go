package linux

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

const anonymous = mapPrivate | mapAnonymous

// TestAddressesAreFunctionsOfNames: two orders of the same calls by different
// threads give each thread the same addresses and ids.
func TestAddressesAreFunctionsOfNames(t *testing.T) {
	run := func(order []int) (addrs [3][]uint64, numbers [3]uint64) {
		c := newCaller(t, Config{})
		ids := []trace.TID{0, c.spawn(0, word), c.spawn(0, word2)}
		grand := map[int]bool{}
		for _, i := range order {
			if i > 0 && !grand[i] {
				g := c.spawn(ids[i], dataPage+8)
				grand[i] = true
				numbers[i] = c.k.roster.threads[g].number
				addrs[i] = append(addrs[i], c.do(g, nrMmap, 0, abi.PageSize, 3, anonymous))
			}
			addrs[i] = append(addrs[i], c.do(ids[i], nrMmap, 0, uint64(i+1)*5000, 3, anonymous))
		}
		return addrs, numbers
	}
	a, na := run([]int{0, 1, 2, 0, 1, 2})
	b, nb := run([]int{2, 2, 1, 1, 0, 0})
	if na != nb {
		t.Errorf("ids %v and %v", na, nb)
	}
	seen := map[uint64]bool{}
	for i := range a {
		for j := range a[i] {
			if a[i][j] != b[i][j] || failed(a[i][j]) || seen[a[i][j]] {
				t.Errorf("thread %d, map %d: %#x and %#x", i, j, a[i][j], b[i][j])
			}
			seen[a[i][j]] = true
		}
	}
}

func TestUnmappedMemoryStaysSo(t *testing.T) {
	c := newCaller(t, Config{})
	a := c.do(0, nrMmap, 0, 2*abi.PageSize, 3, anonymous)
	c.m.Write(a, []byte("x"))
	c.want("munmap", c.do(0, nrMunmap, a, 2*abi.PageSize), 0)
	if c.m.Prot(a) != 0 {
		t.Error("still accessible")
	}
	b := c.do(0, nrMmap, 0, 2*abi.PageSize, 3, anonymous)
	if b == a {
		t.Error("an address was given twice")
	}
	if c.m.Prot(b-abi.PageSize) != 0 {
		t.Error("no gap between maps")
	}
	c.want("misaligned", c.do(0, nrMunmap, a+1, abi.PageSize), einval)
	c.want("read from it", c.do(0, nrWrite, 1, a, 4), efault)
}

func TestFreshAndClearedMemory(t *testing.T) {
	c := newCaller(t, Config{})
	a := c.do(0, nrMmap, 0, 4*abi.PageSize, 3, anonymous)
	for _, clear := range []func(){
		func() { c.want("madvise", c.do(0, nrMadvise, a, 4*abi.PageSize, madvDontneed), 0) },
		func() { c.want("mmap", c.do(0, nrMmap, a, 4*abi.PageSize, 3, anonymous|mapFixed), a) },
	} {
		c.m.Write(a+abi.PageSize+5, []byte("xyz"))
		m := c.m.Mark()
		clear()
		c.want("cleared", c.m.Read64(a+abi.PageSize), 0)
		c.m.Rewind(m)
		if c.m.Read64(a+abi.PageSize) == 0 {
			t.Error("clearing wasn't undone")
		}
	}
	c.want("kept", c.do(0, nrMmap, a, abi.PageSize, 3, anonymous|mapFixedNoreplace), eexist)
}

func TestBreak(t *testing.T) {
	c := newCaller(t, Config{})
	low := c.do(0, nrBrk, 0)
	c.want("grow", c.do(0, nrBrk, low+5000), low+5000)
	if !c.k.user.canWrite(low, 5000) || c.k.user.canWrite(low, 3*abi.PageSize) {
		t.Error("the break's pages aren't what they should be")
	}
	c.m.Write32(low+4096, 7)
	c.want("shrink", c.do(0, nrBrk, low+1), low+1)
	c.want("grow again", c.do(0, nrBrk, low+5000), low+5000)
	c.want("new pages are zero", uint64(c.m.Read32(low+4096)), 0)
	c.want("below", c.do(0, nrBrk, 5), low+5000)
	c.want("beyond", c.do(0, nrBrk, 1<<50), low+5000)
}

func TestMremap(t *testing.T) {
	c := newCaller(t, Config{})
	a := c.do(0, nrMmap, 0, 3*abi.PageSize, 3, anonymous)
	c.m.Write32(a+abi.PageSize, 77)
	c.want("in place", c.do(0, nrMremap, a, 3*abi.PageSize, 4*abi.PageSize, 0), enomem)
	b := c.do(0, nrMremap, a, 3*abi.PageSize, 40*abi.PageSize, mremapMaymove)
	c.want("moved", uint64(c.m.Read32(b+abi.PageSize)), 77)
	if c.m.Prot(a) != 0 || !c.k.user.canWrite(b, 40*abi.PageSize) {
		t.Error("permissions after a move")
	}
	c.want("shrink", c.do(0, nrMremap, b, 40*abi.PageSize, abi.PageSize, 0), b)
	if c.m.Prot(b+abi.PageSize) != 0 {
		t.Error("the rest is still there")
	}
	c.want("unmapped", c.do(0, nrMremap, a, abi.PageSize, 2*abi.PageSize, 0), efault)
}

// TestMremapInPlace: a map grows where it is over pages that the guest has unmapped, and
// over no others.
func TestMremapInPlace(t *testing.T) {
	c := newCaller(t, Config{MemoryLimit: 64 << 20})
	a := c.do(0, nrMmap, 0, 8*abi.PageSize, 1, anonymous)
	c.m.Write32(a, 11)
	c.m.Write32(a+5*abi.PageSize, 55)
	c.want("its end", c.do(0, nrMunmap, a+4*abi.PageSize, 4*abi.PageSize), 0)
	before := c.m.Mark()
	c.want("over the page behind it", c.do(0, nrMremap, a, 4*abi.PageSize, 9*abi.PageSize, 0), enomem)
	c.want("over what was unmapped", c.do(0, nrMremap, a, 4*abi.PageSize, 7*abi.PageSize, 0), a)
	if c.m.Prot(a+6*abi.PageSize) != emu.ProtRead || c.m.Prot(a+7*abi.PageSize) != 0 {
		t.Error("permissions after it grew")
	}
	c.want("what was there", uint64(c.m.Read32(a)), 11)
	c.want("its new pages are zero", uint64(c.m.Read32(a+5*abi.PageSize)), 0)
	c.want("once more, though it may move", c.do(0, nrMremap, a, 7*abi.PageSize, 8*abi.PageSize, mremapMaymove), a)
	c.want("then it is whole", c.do(0, nrMremap, a, 8*abi.PageSize, 9*abi.PageSize, 0), enomem)
	c.m.Rewind(before)
	c.want("after going back", c.do(0, nrMremap, a, 4*abi.PageSize, 8*abi.PageSize, 0), a)
	c.want("shrink", c.do(0, nrMremap, a, 8*abi.PageSize, abi.PageSize, 0), a)
	c.want("in the hole", c.do(0, nrMmap, a+2*abi.PageSize, abi.PageSize, 0, anonymous|mapFixed), a+2*abi.PageSize)
	c.want("up to a map without access", c.do(0, nrMremap, a, abi.PageSize, 2*abi.PageSize, 0), a)
	c.want("into it", c.do(0, nrMremap, a, 2*abi.PageSize, 3*abi.PageSize, 0), enomem)
	b := c.do(0, nrMremap, a, 2*abi.PageSize, 5*abi.PageSize, mremapMaymove)
	if failed(b) || b == a {
		t.Errorf("moved to %#x", b)
	}
	big := c.do(0, nrMmap, 0, 40<<20, 3, anonymous)
	c.want("unmap", c.do(0, nrMunmap, big+4096, 40<<20-4096), 0)
	other := c.do(0, nrMmap, 0, 30<<20, 3, anonymous)
	c.want("no memory for it", c.do(0, nrMremap, big, 4096, 40<<20, 0), enomem)
	c.want("given back", c.do(0, nrMunmap, other, 30<<20), 0)
	c.want("memory for it", c.do(0, nrMremap, big, 4096, 40<<20, 0), big)
}

// TestMemoryLimit: what is accessible counts, what is reserved doesn't.
func TestMemoryLimit(t *testing.T) {
	c := newCaller(t, Config{MemoryLimit: 64 << 20})
	c.want("terabytes", c.do(0, nrMmap, 0, 1<<40, 3, anonymous), enomem)
	c.want("overflow", c.do(0, nrMmap, 0, ^uint64(0), 3, anonymous), enomem)
	reserved := c.do(0, nrMmap, 0, 256<<20, 0, anonymous)
	if failed(reserved) {
		t.Fatalf("reserving: %d", int64(reserved))
	}
	c.want("all of it", c.do(0, nrMprotect, reserved, 256<<20, 3), enomem)
	c.want("some", c.do(0, nrMprotect, reserved, 32<<20, 3), 0)
	c.want("more", c.do(0, nrMmap, 0, 40<<20, 3, anonymous), enomem)
	low := c.do(0, nrBrk, 0)
	c.want("break", c.do(0, nrBrk, low+40<<20), low)
	c.want("given back", c.do(0, nrMunmap, reserved, 32<<20), 0)
	if r := c.do(0, nrMmap, 0, 40<<20, 3, anonymous); failed(r) {
		t.Errorf("after giving memory back: %d", int64(r))
	}
}

// TestWindowUsedUp: where Linux would have room, landgo says that it hasn't.
func TestWindowUsedUp(t *testing.T) {
	c := newCaller(t, Config{})
	size := uint64(firstWindow / 3)
	for range 2 {
		c.do(0, nrMmap, 0, size, 0, anonymous)
	}
	p := c.plan(0, nrMmap, 0, size+abi.PageSize, 0, anonymous)
	if p.Effect != kernel.Invalid || !strings.Contains(p.Reason, "used up") {
		t.Errorf("%+v", p)
	}
}

// family makes threads by their names, of a kernel's.
func family(t *testing.T, names ...string) (*driver, []*thread) {
	c := newCaller(t, Config{})
	all := map[string]*thread{"0": {}}
	var list []*thread
	for _, name := range names {
		at := "0"
		for _, part := range strings.Split(name, ".")[1:] {
			n, err := strconv.ParseUint(part, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			parent := all[at]
			if at += "." + part; all[at] == nil {
				all[at] = &thread{parent: parent, nth: n, hash: nameHash(parent, n)}
			}
		}
		list = append(list, all[name])
	}
	return c.driver, list
}

// TestWindowsDontOverlap: threads' windows lie behind the heap and below the
// stack, and no two share an address. The threads are created in chains, in
// trees, and by a thread with many children at any depth.
func TestWindowsDontOverlap(t *testing.T) {
	names := []string{"0"}
	for n := 1; n <= 600; n++ {
		names = append(names, fmt.Sprint("0.", n), fmt.Sprint("0.1.1.", n))
	}
	for _, link := range []string{".1", ".2", ".3", ".1.2", ".2.1"} {
		for at := "0.3" + link; len(at) < 130; at += link {
			names = append(names, at)
		}
	}
	_, threads := family(t, names...)
	type owned struct {
		span
		name string
	}
	var all []owned
	for i, th := range threads {
		for n := range uint64(2) {
			if w, shared := th.window(n); n == 0 || shared && i < 40 {
				all = append(all, owned{w, names[i]})
			}
		}
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.lo, b.lo) })
	if all[0].lo < kernel.WindowsLo || all[len(all)-1].hi > kernel.GuestHi-1<<30 {
		t.Errorf("windows from %#x to %#x", all[0].lo, all[len(all)-1].hi)
	}
	met := 0
	for i := 1; i < len(all); i++ {
		if all[i].lo%abi.PageSize != 0 || all[i].lo < all[i-1].hi && all[i].lo != all[i-1].lo {
			t.Fatalf("%s has %x, %s has %x", all[i-1].name, all[i-1].span, all[i].name, all[i].span)
		}
		if all[i].lo == all[i-1].lo && all[i].name != all[i-1].name {
			met++
		}
	}
	if met > len(all)/30 { // 700 threads by chance on 32,768 places
		t.Errorf("%d of %d windows are others', too", met, len(all))
	}
}

// TestWindowsMeet: a thread whose next window is another's gets none, by name.
func TestWindowsMeet(t *testing.T) {
	c := newCaller(t, Config{})
	first := c.k.roster.threads[0]
	for n := uint64(1); n < mostWindows; n++ {
		w, _ := first.window(n)
		c.k.space.windows[w.lo] = c.spawn(0, word)
	}
	if p := c.plan(0, nrMmap, 0, abi.PageSize, 3, anonymous); p.Effect == kernel.Invalid {
		t.Errorf("its own window: %s", p.Reason)
	}
	for range 2 {
		c.do(0, nrMmap, 0, firstWindow/2-abi.PageSize, 0, anonymous)
	}
	if p := c.plan(0, nrMmap, 0, abi.PageSize, 3, anonymous); p.Effect != kernel.Invalid || !strings.Contains(p.Reason, "addresses of thread") {
		t.Errorf("%+v", p)
	}
}

func TestProtections(t *testing.T) {
	c := newCaller(t, Config{})
	c.want("mprotect", c.do(0, nrMprotect, dataPage, abi.PageSize, 1), 0)
	if c.m.Prot(dataPage) != emu.ProtRead {
		t.Errorf("protection %d", c.m.Prot(dataPage))
	}
	c.want("write into it", c.do(0, nrGetrandom, dataPage, 8), efault)
	c.want("outside", c.do(0, nrMprotect, 1<<50, abi.PageSize, 1), enomem)
}

// TestMapsAndHoles: a page in a map without access is distinguished from one in no map.
func TestMapsAndHoles(t *testing.T) {
	c := newCaller(t, Config{MemoryLimit: 64 << 20})
	const fixed, noreplace = anonymous | mapFixed, anonymous | mapFixedNoreplace
	a := c.do(0, nrMmap, 0, 8*abi.PageSize, 0, anonymous)
	before := c.m.Mark()
	c.want("over a fresh map without access", c.do(0, nrMmap, a+abi.PageSize, abi.PageSize, 3, noreplace), eexist)
	c.want("open two", c.do(0, nrMprotect, a, 2*abi.PageSize, 3), 0)
	c.want("close one", c.do(0, nrMprotect, a, abi.PageSize, 0), 0)
	c.want("over a closed page", c.do(0, nrMmap, a, abi.PageSize, 3, noreplace), eexist)
	c.want("a hole", c.do(0, nrMunmap, a+3*abi.PageSize, 2*abi.PageSize), 0)
	c.want("from inside the hole", c.do(0, nrMprotect, a+4*abi.PageSize, 2*abi.PageSize, 3), enomem)
	c.want("up to the hole and beyond", c.do(0, nrMprotect, a, 8*abi.PageSize, 1), enomem)
	if c.m.Prot(a+2*abi.PageSize) != emu.ProtRead || c.m.Prot(a+3*abi.PageSize) != 0 || c.m.Prot(a+5*abi.PageSize) != 0 {
		t.Error("not exactly the pages before the hole were changed")
	}
	c.want("half over the hole", c.do(0, nrMmap, a+4*abi.PageSize, 2*abi.PageSize, 3, noreplace), eexist)
	c.want("in the hole", c.do(0, nrMmap, a+3*abi.PageSize, abi.PageSize, 0, noreplace), a+3*abi.PageSize)
	c.want("once more", c.do(0, nrMmap, a+3*abi.PageSize, abi.PageSize, 0, fixed), a+3*abi.PageSize)
	c.want("open it", c.do(0, nrMprotect, a, 4*abi.PageSize, 3), 0)
	if used := c.m.Mapped(a, 8*abi.PageSize); used != 4*abi.PageSize {
		t.Errorf("%d bytes are accessible", used)
	}
	c.m.Rewind(before)
	c.want("after going back", c.do(0, nrMprotect, a, 8*abi.PageSize, 3), 0)
	c.want("without access", c.do(0, nrMprotect, a, 8*abi.PageSize, 0), 0)
	c.want("it is moved", c.do(0, nrMmap, c.do(0, nrMremap, a, 8*abi.PageSize, 9*abi.PageSize, mremapMaymove), abi.PageSize, 3, noreplace), eexist)
	c.want("from where it was", c.do(0, nrMprotect, a, abi.PageSize, 3), enomem)

	low := c.do(0, nrBrk, 0)
	c.do(0, nrBrk, low+2*abi.PageSize)
	c.do(0, nrBrk, low)
	c.want("behind a break that was lowered", c.do(0, nrMprotect, low, abi.PageSize, 3), enomem)
}

// TestMapHints: a map comes where it is asked for if nothing is there and it isn't a thread's place
// for later maps; else where the kernel likes.
func TestMapHints(t *testing.T) {
	c := newCaller(t, Config{})
	const at = 0x3_0000_0000
	hinted := func(addr, size uint64) uint64 { return c.do(0, nrMmap, addr, size, 3, anonymous) }
	c.want("a free place", hinted(at, 2*abi.PageSize), at)
	c.want("within a page, rounded down", hinted(at+2*abi.PageSize+5, 1), at+2*abi.PageSize)
	for _, taken := range []uint64{at, at - abi.PageSize} {
		if got := hinted(taken, 2*abi.PageSize); got == taken || failed(got) {
			t.Errorf("a place that is taken in part: %#x", got)
		}
	}
	own := c.do(0, nrMmap, 0, 4*abi.PageSize, 3, anonymous)
	c.want("munmap", c.do(0, nrMunmap, own, 2*abi.PageSize), 0)
	c.want("a place of its own, given back", hinted(own, 2*abi.PageSize), own)
	next := c.do(0, nrMmap, 0, abi.PageSize, 3, anonymous)
	if got := hinted(next+64*abi.PageSize, abi.PageSize); got == next+64*abi.PageSize || failed(got) {
		t.Errorf("where later maps come: %#x", got)
	}
	if got := hinted(1<<44, abi.PageSize); failed(got) {
		t.Errorf("beyond the space: %#x", got)
	}
}
