package debuginfo

import (
	"cmp"
	"slices"
)

// Piece is code of one source line: [Lo, Hi).
type Piece struct {
	Frame
	Lo, Hi uint64
}

// Pieces lists the code that has source lines, but for that of libraries' headers, by
// address. A line has as many pieces as the compiler made of it.
func (d *Info) Pieces() (all []Piece) {
	d.mu.Lock()
	d.load()
	_ = d.guard(func() error {
		seen := map[*row]bool{} // units can share a table
		for _, u := range d.units {
			if err := d.loadUnit(u); err != nil {
				continue
			}
			for i := 0; i+1 < len(u.rows); i++ {
				r := &u.rows[i]
				next := i + 1
				for next < len(u.rows)-1 && u.rows[next].addr == r.addr && !u.rows[next].end {
					next++ // the compiler left only a place of this line, before the next one's code
				}
				if r.end || r.line == 0 || r.file == nil || u.rows[next].addr <= r.addr || seen[r] {
					continue
				}
				seen[r] = true
				if f := u.place(r.file, int(r.line), int(r.column)); !f.Library() {
					all = append(all, Piece{Frame: f, Lo: r.addr + d.Base, Hi: u.rows[next].addr + d.Base})
				}
			}
		}
		return nil
	})
	d.mu.Unlock()
	all = slices.DeleteFunc(all, func(p Piece) bool { return !d.IsCode(p.Lo) })
	slices.SortStableFunc(all, func(a, b Piece) int { return cmp.Compare(a.Lo, b.Lo) })
	for i := range all {
		if s, ok := d.SymbolAt(all[i].Lo); ok {
			all[i].Function = s.Name
		}
		if fs := d.Frames(all[i].Lo); len(fs) > 0 && fs[0].Function != "" {
			all[i].Function = fs[0].Shown()
		}
	}
	return all
}
