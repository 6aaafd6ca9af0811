package explore

import (
	"bytes"
	"context"
	"encoding/json"

	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
	"landgo/scheduler"
)

// Help works on parts of another process's search of a guest. serve is given what does
// that, for one part after another, and returns when there are no more. A part that
// can't be worked on has an error, and the next one may go well.
func Help(ctx context.Context, cfg config.Config, serve func(work func(part []byte) ([]byte, error)) error) error {
	cfg.Checkpoint, cfg.Resume, cfg.Jobs, cfg.Time = "", "", 1, 0
	w := limits.Begin(ctx, &cfg, func(result.ErrorKind) {})
	defer w.Close()
	h := &helping{cfg: cfg, limits: w}
	defer h.leave()
	return serve(h.work)
}

// helping has a guest for the parts of one search.
type helping struct {
	cfg    config.Config
	limits *limits.Watch
	s      *session.Session
	// like is the part without units with which the guest was made ready; nil: it has to
	// be made ready anew.
	like []byte
}

func (h *helping) leave() {
	if h.s != nil {
		h.s.Close()
	}
	h.s, h.like = nil, nil
}

// work works on a part.
func (h *helping) work(text []byte) ([]byte, error) {
	p, err := saved.ReadPart(text)
	if err != nil {
		return nil, err
	}
	units := p.Units
	p.Units = nil
	if err := h.ready(p); err != nil {
		h.leave()
		return nil, err
	}
	s := h.s
	o := &hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}}
	stand := (*hunt).watchedSystem
	if p.Set != nil {
		stand = func(o *hunt) por.System { return o.standAt(p.Set) }
	}
	opts := por.Options{OneEvent: p.OneEvent, Unmerged: p.Unmerged, Iterate: p.Iterate, From: p.From, UnitSteps: p.Steps, Variable: s.Image.Extent,
		Stop: func() bool { return h.limits.Unwanted() != "" }}
	if p.Bounded {
		opts.Bounds = s.Config.Bounds
	}
	w := por.Worker{Begin: func() por.System { return stand(o) }, Obs: o, Seen: func() any { return o.take() }}
	out, spent, err := por.WorkAway(p.Search, opts, w, units, func(seen any) ([]byte, error) {
		all, err := seen.(*partSeen).saved()
		if err != nil {
			return nil, err
		}
		return all.Pack()
	})
	if spent || err != nil {
		h.like = nil
	}
	return out, err
}

// ready makes a guest ready that knows what the search's knew when it was divided.
func (h *helping) ready(p *saved.Part) error {
	like, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if h.s != nil && bytes.Equal(like, h.like) {
		return nil
	}
	h.leave()
	cfg := h.cfg
	cfg.Libraries = p.Libraries
	if h.s, err = session.Open(cfg, h.limits); err != nil {
		return err
	}
	if err := p.Fits(h.s.Image.SHA256, h.s.Check); err != nil {
		return err
	}
	if _, err := h.s.Guest.Learn(p.Knowledge); err != nil {
		return err
	}
	h.s.Guest.Seen().Take()
	h.s.TakeReached()
	h.s.Guest.Seal(true)
	h.like = like
	return nil
}

// standAt has the guest stop where the steps of a space of a deepening end, with detectors
// looking on.
func (h *hunt) standAt(set *deepen.Set) por.System {
	h.Guest.Rewind(h.Root)
	h.Guest.SetGranularity(granularityOf(h.Session, set))
	h.Guest.Seen().Look(nil)
	h.watched = detectors(h.Session, &deepen.Job{Set: *set})
	return h.watched
}

// granularityOf is where steps end in the space of a set of points.
func granularityOf(s *session.Session, set *deepen.Set) scheduler.Granularity {
	g := s.Granularity(set.Kinds, set.At)
	for _, f := range set.Within {
		g.Rules = append(g.Rules, scheduler.Rule{Function: f, Within: true})
	}
	return g
}
