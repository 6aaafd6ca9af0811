package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"landgo/explore/config"
	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// checkpointFormat names the form of a checkpoint file: one JSON object.
const checkpointFormat = "landgo-checkpoint/2"

// checkpoint is a search that can be gone on with in another process: what it
// is a search of, what was learned and seen so far, and where it is.
type checkpoint struct {
	Format  string     `json:"format"`
	Version string     `json:"version"`
	SHA256  string     `json:"sha256"` // of the guest
	Check   uint32     `json:"check"`  // Config.Check
	Search  string     `json:"search"`
	Bounds  string     `json:"bounds"`
	Going   bool       `json:"keep_going"`
	Race    string     `json:"race"`
	Threads int        `json:"threads"`
	Bugs    []savedBug `json:"bugs,omitempty"`

	Knowledge *scheduler.Knowledge `json:"knowledge"`
	Witnessed *scheduler.Witnessed `json:"witnessed"`
	Races     []savedRace          `json:"races,omitempty"`
	Tree      []byte               `json:"tree,omitempty"`      // por.Options.Save's
	Deepening *savedDeepening      `json:"deepening,omitempty"` // has trees of its own
	Sum       string               `json:"sum"`                 // sha256 of the object without it
}

type savedBug struct {
	Path        []por.PathStep `json:"path"`
	Preemptions int            `json:"preemptions"`
}

type savedRace struct {
	Of        string         `json:"of,omitempty"` // which of watched's lookouts
	Candidate race.Candidate `json:"candidate"`
	Path      []por.PathStep `json:"path"`
}

// of has the lookouts by the names under which their candidates are saved.
var of = map[string]func(*watched) *lookout{
	"":         func(w *watched) *lookout { return w.races },
	"limited":  func(w *watched) *lookout { return w.limited },
	"adjacent": func(w *watched) *lookout { return w.adjacent },
}

// sum is the digest of everything but Sum.
func (p checkpoint) sum() string {
	p.Sum = ""
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain data
	}
	d := sha256.Sum256(text)
	return hex.EncodeToString(d[:])
}

// save writes a checkpoint. No worker is at work.
func (h *hunt) save(tree []byte) error {
	p := h.checkpoint()
	p.Tree = tree
	if h.crew != nil {
		p.Witnessed.Add(&h.crew.kept)
	}
	for _, f := range h.found {
		p.Bugs = append(p.Bugs, savedBug{f.path, f.preemptions})
	}
	if h.watched != nil {
		for _, name := range []string{"", "limited", "adjacent"} {
			if l := of[name](h.watched); l != nil {
				p.Races = append(p.Races, l.save(name)...)
			}
		}
	}
	return h.writeCheckpoint(p)
}

// checkpoint has what every search has.
func (h *hunt) checkpoint() *checkpoint {
	return &checkpoint{Format: checkpointFormat, Version: result.Version, SHA256: h.img.SHA256, Check: h.check, Search: h.cfg.Search,
		Bounds: h.cfg.Bounds.String(), Going: h.cfg.KeepGoing, Race: h.cfg.Race, Threads: h.result.Threads,
		Knowledge: h.sys.Knowledge(), Witnessed: h.sys.Witnessed()}
}

// writeCheckpoint writes the file, whole or not at all.
func (h *hunt) writeCheckpoint(p *checkpoint) error {
	p.Sum = p.sum()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := result.WriteWhole(h.cfg.Checkpoint, append(text, '\n')); err != nil {
		return result.Errorf(result.Unwritable, "can't write the checkpoint %s: %w", h.cfg.Checkpoint, err)
	}
	return nil
}

// maxCheckpoint bounds a file: what stateful has seen is in it.
const maxCheckpoint = 1 << 30

// readCheckpoint reads a checkpoint file.
func readCheckpoint(path string) (*checkpoint, error) {
	text, err := result.ReadFile(path, maxCheckpoint)
	if err != nil {
		return nil, err
	}
	p := &checkpoint{}
	if err := json.Unmarshal(text, p); err != nil || p.Format == "" {
		return nil, result.Errorf(result.BadCheckpoint, "%s isn't a checkpoint of landgo's", path)
	}
	switch {
	case p.Format != checkpointFormat:
		return nil, result.Errorf(result.OtherVersion, "%s has the format %q, this landgo reads %q", path, p.Format, checkpointFormat)
	case p.Version != result.Version:
		return nil, result.Errorf(result.OtherVersion, "%s was written by landgo %s, this is landgo %s", path, p.Version, result.Version)
	case p.Sum != p.sum() || p.Knowledge == nil || p.Witnessed == nil:
		return nil, result.Errorf(result.BadCheckpoint, "%s is damaged", path)
	}
	return p, nil
}

// Run explores the configuration's state space. An error is one of usage or
// input, or landgo's own; whatever else happens is in the result.
func Run(ctx context.Context, cfg config.Config, obs Observer) (r *result.Result, err error) {
	if cfg.Resume != "" {
		defer func() {
			if p := recover(); p != nil {
				r, err = nil, damaged(cfg.Resume, p)
			} else if errors.Is(err, por.ErrSnapshot) {
				err = damaged(cfg.Resume, err)
			}
		}()
	}
	return runOnce(ctx, cfg, obs)
}

// damaged says of what went wrong in a search that was gone on with from a checkpoint
// that the checkpoint is to blame. A sum that fits only says that the file is as it
// was written.
func damaged(checkpoint string, why any) error {
	return result.Errorf(result.BadCheckpoint, "%s: the search can't go on from it: %v", checkpoint, why)
}

// fits says why a checkpoint isn't one of this search, nil if it is.
func (p *checkpoint) fits(s *session) error {
	path := s.cfg.Resume
	switch {
	case p.SHA256 != s.img.SHA256:
		return result.Errorf(result.OtherImage, "%s is a checkpoint of another program: its sha256 is %.12s…, that of %s %.12s…", path, p.SHA256, s.cfg.Guest, s.img.SHA256)
	case p.Check != s.check:
		return result.Errorf(result.OtherConfig, "%s was made with other options or input", path)
	case p.Search != s.cfg.Search || p.Bounds != s.cfg.Bounds.String() || p.Going != s.cfg.KeepGoing || p.Race != s.cfg.Race:
		return result.Errorf(result.OtherConfig, "%s was made with --search %s, --bound %s, --race %s and keep-going %v", path, p.Search, p.Bounds, p.Race, p.Going)
	case p.Deepening == nil && s.cfg.Deepens():
		return result.Errorf(result.OtherConfig, "%s is a checkpoint of one search: give the same --pp as then", path)
	case p.Deepening != nil && !s.cfg.Deepens():
		return result.Errorf(result.OtherConfig, "%s is a checkpoint of a search of many sets of points: it was made without --pp", path)
	case p.Deepening != nil && p.Deepening.SyncOnly != s.cfg.SyncOnly:
		return result.Errorf(result.OtherConfig, "%s was made with sync-only %v", path, p.Deepening.SyncOnly)
	}
	return nil
}

// goOn takes over what every checkpoint has: nil if there is none to go on from.
func (h *hunt) goOn() (*checkpoint, error) {
	if h.cfg.Resume == "" {
		return nil, nil
	}
	p, err := readCheckpoint(h.cfg.Resume)
	if err != nil {
		return nil, err
	}
	if err := p.fits(h.session); err != nil {
		return nil, err
	}
	if _, err := h.sys.Learn(p.Knowledge); err != nil {
		return nil, result.Errorf(result.BadCheckpoint, "%s: %w", h.cfg.Resume, err)
	}
	h.sys.Witness(p.Witnessed)
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
	h.saved = p.Races
	return p.Tree, nil
}

// takeOver runs the execution of a saved bug again.
func (h *hunt) takeOver(b savedBug) error {
	h.sys.Rewind(h.root)
	var tr *trace.Transition
	for i := range b.Path {
		step := &b.Path[i]
		if err := h.possible(step); err != nil {
			return err
		}
		var err error
		if tr, err = h.sys.Step(step.Thread, step.Choice); err != nil {
			return err
		}
	}
	var f *scheduler.Failure
	switch {
	case tr == nil || tr.End != trace.EndProcess && tr.End != trace.EndBug:
		f = h.sys.Stuck(false)
	case tr.End == trace.EndBug:
		f = h.sys.Failure(tr.Thread)
	default:
		f = h.sys.Stuck(true)
	}
	if f == nil {
		return result.Errorf(result.BadCheckpoint, "%s: a bug doesn't come again", h.cfg.Resume)
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
	if h.cfg.Checkpoint != "" {
		w := h.newSaver()
		opts.SaveNow = w.due
		opts.Save = func(tree []byte) error { return w.run(func() error { return h.save(tree) }) }
	}
	opts.Resume, err = h.resume()
	return err
}

// saver knows when it is time to save. Saving what is large takes a tenth of the
// time at the most.
type saver struct {
	every, took time.Duration
	last        time.Time
}

// newSaver: a search of a few seconds is saved too, so that what was done in them
// can be gone on with.
func (h *hunt) newSaver() saver {
	w := saver{every: h.cfg.CheckpointEvery, last: time.Now()}
	if h.cfg.Time > 0 {
		w.every = min(w.every, h.cfg.Time/10)
	}
	return w
}

func (w *saver) due() bool { return time.Since(w.last) >= max(w.every, 10*w.took) }

func (w *saver) run(save func() error) error {
	begin := time.Now()
	err := save()
	w.last = time.Now()
	w.took = w.last.Sub(begin)
	return err
}

// checkCheckpoint says why a checkpoint can't be written to a path.
func checkCheckpoint(path string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return result.Errorf(result.Unwritable, "can't write the checkpoint %s: it isn't a regular file", path)
	}
	if _, err := readCheckpoint(path); err != nil && !errors.Is(err, result.OtherVersion) {
		if st, statErr := os.Stat(path); statErr == nil && st.Size() > 0 {
			return result.Errorf(result.Unwritable, "won't overwrite %s: it exists and isn't a checkpoint", path)
		} else if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			return result.Errorf(result.Unwritable, "can't write the checkpoint %s: %w", path, statErr)
		}
	}
	return nil
}
