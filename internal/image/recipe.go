package image

import (
	"sort"
	"sync"
)

// unwindTable is the file's call-frame information, parsed when first used.
type unwindTable struct {
	once         sync.Once
	descriptions []description
	section      cfiSection // .eh_frame; for pointers inside programs

	mu      sync.Mutex
	recipes map[place]recipe
}

func (u *unwindTable) load(im *Image) {
	u.once.Do(func() {
		addrSize := int(im.Machine.Word())
		for _, name := range []string{".eh_frame", ".debug_frame"} {
			if s, b := im.section(name); s != nil {
				c := cfiSection{data: b, addr: s.Addr + im.Base, eh: name == ".eh_frame", addrSize: addrSize, base: im.Base}
				u.descriptions = append(u.descriptions, c.parse()...)
				u.section = c
			}
		}
		ds := u.descriptions
		sort.SliceStable(ds, func(i, j int) bool { return ds[i].lo < ds[j].lo })
	})
}

// find returns the description that covers pc; of two, .eh_frame's.
func (u *unwindTable) find(pc uint64) *description {
	ds := u.descriptions
	i := sort.Search(len(ds), func(i int) bool { return ds[i].lo > pc }) - 1
	for ; i >= 0; i-- {
		if pc < ds[i].hi {
			for i > 0 && ds[i-1].lo == ds[i].lo && ds[i-1].hi == ds[i].hi {
				i--
			}
			return &ds[i]
		}
		if i > 0 && ds[i-1].lo != ds[i].lo {
			return nil // ranges don't nest
		}
	}
	return nil
}

// recipe is how to leave the frame of one instruction: a function of the file
// alone, so worked out once.
type recipe struct {
	row     *cfiRow // nil: unknown
	retReg  uint64
	guessed bool // from the code, not from call-frame information
}

// place is an instruction of a stack: the innermost frame's own, or the one
// behind a call.
type place struct {
	pc     uint64
	called bool
}

// recipe looks it up or works it out.
func (u *unwindTable) recipe(im *Image, at place) recipe {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, ok := u.recipes[at]
	if ok {
		return r
	}
	pc := at.pc
	if at.called {
		pc-- // a call may be its function's last instruction
	}
	if d := u.find(pc); d != nil {
		if row, err := d.row(pc, &u.section); err == nil {
			r = recipe{row: &row, retReg: d.common.retReg}
		}
	}
	if r.row == nil {
		row, _ := im.prologue(at.pc, at.called)
		r = recipe{row: row, retReg: regRIP, guessed: true}
	}
	if u.recipes == nil {
		u.recipes = map[place]recipe{}
	}
	u.recipes[at] = r
	return r
}
