package result

import "fmt"

// Rung is what was found with parts of a tested thread library trusted, beside the
// search of the library as it is. It says nothing of the trusted parts.
type Rung struct {
	// Trust is what was trusted, as --trust takes it.
	Trust string `json:"trust"`
	// Whole: all interleavings above what was trusted were explored, without a bug.
	Whole bool `json:"whole,omitempty"`
	// BoundedAt and BoundedBy are as a result's: within that bound there is no bug
	// above what was trusted.
	BoundedAt *int   `json:"bounded_at,omitempty"`
	BoundedBy string `json:"bounded_by,omitempty"`
	// Bug is one that came with the trusted parts and couldn't be shown with the
	// library's own. It is no bug of the result. Replay is the command that shows it.
	Bug    *Bug   `json:"bug,omitempty"`
	Replay string `json:"replay,omitempty"`
}

// Text is a sentence for people.
func (r *Rung) Text() string {
	switch with := "with the library's " + r.Trust + " trusted"; {
	case r.Bug != nil:
		return fmt.Sprintf("%s: %s: %s; not confirmed with the library's own %s (%s)", with, r.Bug.Kind, r.Bug.Message, r.Trust, r.Replay)
	case r.Whole:
		return with + ", no interleaving has a bug"
	case *r.BoundedAt == 0:
		return with + ", no bug without a preemption"
	case *r.BoundedAt == 1:
		return with + ", no bug with at most 1 preemption"
	default:
		return fmt.Sprintf("%s, no bug with at most %d preemptions", with, *r.BoundedAt)
	}
}
