package saved

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"

	"landgo/internal/deepen"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// PartFormat names the form of a part of a search for another process, and of what it came
// to: compressed JSON, with package por's bytes in it.
const PartFormat = "landgo-part/1"

// Part is some units of a divided search, and all that a worker needs that has the
// same guest and the same configuration.
type Part struct {
	Format  string `json:"format"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the guest
	Check   uint32 `json:"check"`  // Config.Check
	// Libraries are those with which the guest is loaded: it asks for some while it runs.
	Libraries []string `json:"libraries,omitempty"`

	Search   string `json:"search"`
	OneEvent bool   `json:"one_event,omitempty"`
	Unmerged bool   `json:"unmerged,omitempty"`
	Bounded  bool   `json:"bounded,omitempty"` // by the configuration's bounds
	Iterate  bool   `json:"iterate,omitempty"`
	From     int    `json:"from,omitempty"`
	// Steps is por.Options.UnitSteps.
	Steps uint64 `json:"steps,omitempty"`
	// Set are the points of a space of a deepening, nil: those of the configuration.
	Set       *deepen.Set          `json:"set,omitempty"`
	Knowledge *scheduler.Knowledge `json:"knowledge"`

	Units []byte `json:"units"`
}

// Seen is a worker's findings in a unit.
type Seen struct {
	Threads    int                `json:"threads"`
	Found      []byte             `json:"found,omitempty"` // of []Found
	Checks     [][]por.PathStep   `json:"checks,omitempty"`
	Races      []Race             `json:"races,omitempty"`
	Triangular []race.Triangle    `json:"triangular,omitempty"`
	Stores     []uint64           `json:"stores,omitempty"`
	Witnessed  *witness.Statement `json:"witnessed"`
	Outputs    Outputs            `json:"outputs"`
	Reached    *Reached           `json:"reached,omitempty"` // where coverage is asked for
}

// Reached is the coverage of a unit: pieces of the guest's lines by their numbers, of this many,
// and points.
type Reached struct {
	Pieces int            `json:"pieces"`
	Ran    []int          `json:"ran"`
	Points []ReachedPoint `json:"points"`
}

// ReachedPoint is how often steps began at a point, and how many of them were another
// thread's.
type ReachedPoint struct {
	PC       uint64            `json:"pc"`
	Kind     trace.OpKind      `json:"kind"`
	Flags    trace.AccessFlags `json:"flags"`
	Reached  uint64            `json:"reached"`
	Switched uint64            `json:"switched"`
}

// Found is a bug of a part. Its texts are bytes of the guest's: not all are UTF-8, so it
// isn't JSON.
type Found struct {
	Failure     scheduler.Failure
	Key         string
	Path        []por.PathStep
	Preemptions int
}

// Pack is the part as bytes.
func (p *Part) Pack() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	z.Write(text)
	err = z.Close()
	return b.Bytes(), err
}

// maxPart bounds a part's text.
const maxPart = 256 << 20

// ReadPart reads Pack's bytes.
func ReadPart(data []byte) (*Part, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxPart))
	if err != nil {
		return nil, err
	}
	p := &Part{}
	err = json.Unmarshal(text, p)
	switch {
	case err != nil:
		return nil, err
	case p.Format != PartFormat || p.Version != result.Version:
		return nil, errors.New("it is another landgo's")
	case p.Knowledge == nil:
		return nil, por.ErrPart
	}
	return p, nil
}

// Fits says why a part isn't one of the guest with a digest and a check (Config.Check);
// nil if it is.
func (p *Part) Fits(sha256 string, check uint32) error {
	if p.SHA256 != sha256 || p.Check != check {
		return errors.New("the program, its libraries or its input are others here")
	}
	return nil
}

// Pack is the findings as bytes.
func (s *Seen) Pack() ([]byte, error) { return json.Marshal(s) }

// ReadSeen reads Pack's bytes.
func ReadSeen(text []byte) (*Seen, error) {
	s := &Seen{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if s.Witnessed == nil {
		return nil, por.ErrPart
	}
	_, err := s.Bugs()
	return s, err
}

// SetBugs puts the bugs in.
func (s *Seen) SetBugs(all []Found) (err error) {
	if s.Found = nil; len(all) > 0 {
		s.Found, err = kernel.Encode(all)
	}
	return err
}

// Bugs are those that were found.
func (s *Seen) Bugs() (all []Found, err error) {
	if len(s.Found) > 0 {
		err = kernel.Decode(s.Found, &all)
	}
	return all, err
}
