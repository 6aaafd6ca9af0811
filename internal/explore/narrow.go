package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/image/static"
)

// The small job of a candidate's instruction α, {yield, α}, may take long. Then smaller ones look
// at α within one caller each of the function in which α is. An instruction of a helper that all
// functions call is then a point in the calls of one of them, and not in those of the others. The
// end of such a job proves nothing but itself, and its name says within what; its bug is a bug.
//
// Deviation from Landslide's within_function, which a person chooses: here it is each
// caller in turn, as far as code with source lines calls directly.

// narrowings is for how many callers there are jobs, at the most.
const narrowings = 8

// narrow adds such jobs, if one takes long. No job is at work.
func (d *deepening) narrow(j *deepen.Job) {
	if d.Config.Seeded() || len(d.Config.AllRules()) > 0 || !d.plan.TooLarge(j, d.left()) || d.narrowed[j] {
		return
	}
	d.narrowed[j] = true
	f, ok := d.Image.SymbolAt(j.Set.At[0])
	if !ok {
		return
	}
	callers := static.Callers(d.Image.Info, f.Addr)
	if len(callers) < 2 || len(callers) > narrowings {
		return // one has all that the job itself has; of many none is likely to matter
	}
	for _, c := range callers {
		if _, ok := d.Image.Symbol(c); ok {
			d.plan.Narrow(j, c)
		}
	}
	d.date()
}
