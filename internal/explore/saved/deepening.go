package saved

import (
	"time"

	"landgo/internal/deepen"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// Deepening is the state of a deepening, as plain data. Jobs are by their ID, 0
// is none.
type Deepening struct {
	SyncOnly       bool          `json:"sync_only,omitempty"`
	CandidatesOnly bool          `json:"candidates_only,omitempty"`
	Plan           *deepen.Saved `json:"plan"`
	Spaces         []Space       `json:"spaces"`
	Races          []Sighted     `json:"races,omitempty"` // in their order
	Both           []Race        `json:"both,omitempty"`
	Benign         []Benign      `json:"benign,omitempty"`
	Apart          []race.Pair   `json:"apart,omitempty"` // in their order
	Found          []Finding     `json:"found,omitempty"`
	Stuck          *Stuck        `json:"stuck,omitempty"`

	Shown   []Shown          `json:"shown,omitempty"`
	After   []uint64         `json:"after"`
	Checks  [][]por.PathStep `json:"checks,omitempty"`
	Passed  bool             `json:"passed"`
	Steps   uint64           `json:"steps"`
	Horizon uint64           `json:"horizon"`
	Alone   int              `json:"alone,omitempty"`
	Used    time.Duration    `json:"used"` // ns

	Warm    uint64       `json:"warm,omitempty"`
	Preempt *Ascending   `json:"preempt,omitempty"`
	Delay   *Ascending   `json:"delay,omitempty"`
	States  *Ascending   `json:"states,omitempty"`
	Fewer   *Ascending   `json:"fewer,omitempty"`
	Rungs   []*Ascending `json:"rungs,omitempty"`  // nil: not begun
	Slices  int          `json:"slices,omitempty"` // of the ways
	Gained  int          `json:"gained,omitempty"` // bugs that they found
}

// Ascending is where a search by ascending bound is.
type Ascending struct {
	Steps uint64 `json:"steps"`
	Over  bool   `json:"over"`
}

// Space is a space that was begun.
type Space struct {
	Job     int                `json:"job"`
	Current bool               `json:"current"` // its epoch is the last
	Buggy   bool               `json:"buggy,omitempty"`
	Stats   por.Stats          `json:"stats"`
	Sights  []witness.Sighting `json:"sights,omitempty"`
	Looked  bool               `json:"looked"` // it has sights, perhaps none
	Tree    []byte             `json:"tree,omitempty"`
	Told    []Told             `json:"told,omitempty"`
	Seen    bool               `json:"seen"`            // it has detectors
	Races   []Race             `json:"races,omitempty"` // without paths
	Outputs Outputs            `json:"outputs"`
	// Triangular are its triangular races.
	Triangular []race.Triangle `json:"triangular,omitempty"`
	Stores     []uint64        `json:"stores,omitempty"`
}

type Told struct {
	race.Pair
	Class deepen.Class
}

// Sighted is a candidate, and where it is shown, if that is known.
type Sighted struct {
	Candidate race.Candidate `json:"candidate"`
	Job       int            `json:"job,omitempty"`
	Path      []por.PathStep `json:"path,omitempty"`
}

type Finding struct {
	Failure     scheduler.Failure `json:"failure"`
	Key         string            `json:"key"`
	Schedule    trace.Schedule    `json:"schedule"`
	Preemptions int               `json:"preemptions"`
	Job         int               `json:"job,omitempty"`
}

// Stuck is how the last job without an end ended.
type Stuck struct {
	Job     int              `json:"job"`
	Verdict result.Verdict   `json:"verdict"`
	Reason  string           `json:"reason"`
	Problem result.ErrorKind `json:"problem"`
	Place   []result.Frame   `json:"place,omitempty"`
}

// Benign is a pair that is benign at a job's points.
type Benign struct {
	race.Pair
	Job int
}
