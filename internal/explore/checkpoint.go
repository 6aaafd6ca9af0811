package explore

import (
	"landgo/internal/explore/races"
	"landgo/internal/explore/saved"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// of has the lookouts by the names under which their candidates are saved.
var of = map[string]func(*races.Watched) *races.Lookout{
	"":         func(w *races.Watched) *races.Lookout { return w.Races },
	"limited":  func(w *races.Watched) *races.Lookout { return w.Limited },
	"pure":     func(w *races.Watched) *races.Lookout { return w.Pure },
	"adjacent": func(w *races.Watched) *races.Lookout { return w.Adjacent },
}

// save writes a checkpoint. No worker is at work.
func (h *hunt) save(tree []byte) error {
	p := h.checkpoint()
	p.Tree = tree
	if h.crew != nil {
		p.Witnessed.Add(&h.crew.kept)
	}
	p.Outputs = h.outcomes.saved()
	for _, f := range h.found {
		b := saved.Bug{Path: f.path, Preemptions: f.preemptions}
		if f.passed() {
			b.Passed = f.key
		}
		p.Bugs = append(p.Bugs, b)
	}
	if h.watched != nil {
		p.Races = racesOf(h.watched)
		p.Triangular, p.Stores = h.watched.SavedTriangular(), h.watched.SavedStores()
	}
	return p.Write(h.Config.Checkpoint)
}

// checkpoint has what every search has.
func (h *hunt) checkpoint() *saved.Checkpoint {
	return &saved.Checkpoint{Format: saved.CheckpointFormat, Version: result.Version, SHA256: h.Image.SHA256, Check: h.Check, Search: h.Config.Search,
		Bounds: h.Config.Bounds.String(), Going: h.Config.KeepGoing, Race: h.Config.Race, Threads: h.result.Threads,
		Knowledge: h.Guest.Knowledge(), Witnessed: h.Guest.Seen().Statement()}
}

// goOn takes over what every checkpoint has: nil if there is none to go on from.
func (h *hunt) goOn() (*saved.Checkpoint, error) {
	if h.Config.Resume == "" {
		return nil, nil
	}
	p, err := saved.ReadCheckpoint(h.Config.Resume)
	if err != nil {
		return nil, err
	}
	if err := p.Fits(&h.Config, h.Image.SHA256, h.Check); err != nil {
		return nil, err
	}
	if _, err := h.Guest.Learn(p.Knowledge); err != nil {
		return nil, result.Errorf(result.BadCheckpoint, "%s: %w", h.Config.Resume, err)
	}
	h.Guest.Seen().Hear(p.Witnessed)
	h.result.Threads = p.Threads
	return p, nil
}

// resume takes over what a checkpoint has, and returns where the search is.
func (h *hunt) resume() (tree []byte, err error) {
	p, err := h.goOn()
	if p == nil {
		return nil, err
	}
	for _, b := range p.Bugs {
		if err := h.takeOver(b); err != nil {
			return nil, err
		}
	}
	h.saved, h.savedTriangular, h.savedStores = p.Races, p.Triangular, p.Stores
	h.outcomes.reload(p.Outputs)
	return p.Tree, nil
}

// takeOver runs the execution of a saved bug again.
func (h *hunt) takeOver(b saved.Bug) error {
	h.Guest.Rewind(h.Root)
	var tr *trace.Transition
	for i := range b.Path {
		step := &b.Path[i]
		if err := h.Possible(step); err != nil {
			return err
		}
		var err error
		if tr, err = h.Guest.Step(step.Thread, step.Choice); err != nil {
			return err
		}
	}
	var f *scheduler.Failure
	switch {
	case b.Passed != "":
		f = h.passedAs(b.Passed)
	case tr == nil || tr.End != trace.EndProcess && tr.End != trace.EndBug:
		f = h.Guest.Stuck(false)
	case tr.End == trace.EndBug:
		f = h.Guest.Failure(tr.Thread)
	default:
		f = h.Guest.Stuck(true)
	}
	if f == nil {
		return result.Errorf(result.BadCheckpoint, "%s: a bug doesn't come again", h.Config.Resume)
	}
	key := h.key(f)
	if old := h.seen[key]; old != nil && old.preemptions <= b.Preemptions {
		return nil
	} else if old == nil {
		h.seen[key] = &finding{key: key}
		h.found = append(h.found, h.seen[key])
	}
	old := h.seen[key]
	old.failure, old.path, old.preemptions = *f, b.Path, b.Preemptions
	return nil
}

// saves sets a search up to be saved now and then, and to begin where a
// checkpoint says.
func (h *hunt) saves(opts *por.Options) (err error) {
	if h.Config.Checkpoint != "" {
		w := saved.NewSaver(&h.Config)
		opts.SaveNow, opts.SaveLast = w.Due, w.Quick
		opts.Save = func(tree []byte) error { return w.Run(func() error { return h.save(tree) }) }
	}
	opts.Resume, err = h.resume()
	return err
}
