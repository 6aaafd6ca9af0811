package explore

import (
	"time"

	"landgo/deepen"
	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// savedDeepening is what a deepening has, as plain data. Jobs are by their ID, 0
// is none.
type savedDeepening struct {
	SyncOnly bool           `json:"sync_only,omitempty"`
	Plan     *deepen.Saved  `json:"plan"`
	Spaces   []savedSpace   `json:"spaces"`
	Races    []savedSighted `json:"races,omitempty"` // in their order
	Both     []savedRace    `json:"both,omitempty"`
	Benign   []savedBenign  `json:"benign,omitempty"`
	Found    []savedFinding `json:"found,omitempty"`
	Stuck    *savedStuck    `json:"stuck,omitempty"`

	After   []uint64         `json:"after"`
	Checks  [][]por.PathStep `json:"checks,omitempty"`
	Passed  bool             `json:"passed"`
	Steps   uint64           `json:"steps"`
	Horizon uint64           `json:"horizon"`
	Alone   int              `json:"alone,omitempty"`
	Used    time.Duration    `json:"used"` // ns

	Warm        uint64 `json:"warm,omitempty"`
	Beside      bool   `json:"beside,omitempty"`
	BesideSteps uint64 `json:"beside_steps,omitempty"`
	BesideOver  bool   `json:"beside_over,omitempty"`
}

// savedSpace is a space that was begun.
type savedSpace struct {
	Job     int                  `json:"job"`
	Current bool                 `json:"current"` // its epoch is the last
	Buggy   bool                 `json:"buggy,omitempty"`
	Stats   por.Stats            `json:"stats"`
	Sights  []scheduler.Sighting `json:"sights,omitempty"`
	Looked  bool                 `json:"looked"` // it has sights, perhaps none
	Tree    []byte               `json:"tree,omitempty"`
	Told    []savedTold          `json:"told,omitempty"`
	Seen    bool                 `json:"seen"`            // it has detectors
	Races   []savedRace          `json:"races,omitempty"` // without paths
}

type savedTold struct {
	race.Pair
	Class deepen.Class
}

// savedSighted is a candidate, and where it is shown, if that is known.
type savedSighted struct {
	Candidate race.Candidate `json:"candidate"`
	Job       int            `json:"job,omitempty"`
	Path      []por.PathStep `json:"path,omitempty"`
}

type savedFinding struct {
	Failure     scheduler.Failure `json:"failure"`
	Key         string            `json:"key"`
	Schedule    trace.Schedule    `json:"schedule"`
	Preemptions int               `json:"preemptions"`
	Job         int               `json:"job,omitempty"`
}

// savedStuck is how the last job without an end ended.
type savedStuck struct {
	Job     int              `json:"job"`
	Verdict result.Verdict   `json:"verdict"`
	Reason  string           `json:"reason"`
	Problem result.ErrorKind `json:"problem"`
	Place   []result.Frame   `json:"place,omitempty"`
}

// savedBenign is a pair that is benign at a job's points.
type savedBenign struct {
	race.Pair
	Job int
}
