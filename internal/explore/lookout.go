package explore

import (
	"landgo/internal/explore/races"
	"landgo/por"
)

// lookOut says, where samples have shown long executions alone, where these go, and which races were seen so far. At
// a limit's time that may be late: memory may be short, and nothing can be run again.
func (d *deepening) lookOut() {
	if d.ways == nil || !d.ways.endless() {
		return
	}
	longest := d.Guest.Seen().Met.Long
	if l := d.ways.Guest.Seen().Met.Long; l.Steps > longest.Steps {
		longest = l
	}
	r := d.result
	if r.Longest != nil && longest.Steps <= r.Longest.Steps*5/4 || !d.longestIs(&longest) {
		return
	}
	w := d.racesSeen()
	w.Toward = nil
	r.Races, r.RaceCount, r.RacesRecycled = nil, 0, 0
	if err := races.List(d.Session, w, r, func([]por.PathStep) bool { return false }); err == nil {
		w.Classify(r, nil)
		d.publish()
	}
}
