package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Rung is the result beside the search of the guest as it is. Parts of a tested thread
// library were trusted, or a kernel's locks ran as one piece each. It says nothing of these
// parts.
type Rung struct {
	// Trust is the trusted parts, as --trust takes them.
	Trust string `json:"trust,omitempty"`
	// Pieces are the functions of a kernel that ran as one piece each, as by --without.
	Pieces []string `json:"pieces,omitempty"`
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
	switch with := r.assumption(); {
	case r.Bug != nil && len(r.Pieces) > 0:
		return fmt.Sprintf("%s: %s: %s; not confirmed without that (%s)", with, r.Bug.Kind, r.Bug.Message, r.Replay)
	case r.Bug != nil:
		return fmt.Sprintf("%s: %s: %s; not confirmed with the library's own %s (%s)", with, r.Bug.Kind, r.Bug.Message, inWords(strings.Split(r.Trust, ",")), r.Replay)
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

// Implies reports whether a rung says all that another one says, and trusts no more.
func (r *Rung) Implies(more *Rung) bool {
	for _, group := range strings.Split(r.Trust, ",") {
		if !slices.Contains(strings.Split(more.Trust, ","), group) {
			return false
		}
	}
	if r.Bug != nil || more.Bug != nil {
		return r.Bug != nil && more.Bug != nil && r.Bug.Kind == more.Bug.Kind && r.Bug.Message == more.Bug.Message
	}
	return r.Whole || !more.Whole && *r.BoundedAt >= *more.BoundedAt && r.BoundedBy == "preempt="+strconv.Itoa(*r.BoundedAt)
}

// piecesNamed is how many functions are named in a sentence.
const piecesNamed = 3

// assumption is the rung's assumption.
func (r *Rung) assumption() string {
	switch n := len(r.Pieces); {
	case n == 0:
		return "with the library's " + inWords(strings.Split(r.Trust, ",")) + " trusted"
	case n == 1:
		return "with " + r.Pieces[0] + " as one piece"
	case n > piecesNamed:
		return fmt.Sprintf("with %s and %d other functions that lock as one piece each", strings.Join(r.Pieces[:piecesNamed-1], ", "), n-piecesNamed+1)
	default:
		return "with " + inWords(r.Pieces) + " as one piece each"
	}
}

// inWords is "a, b and c".
func inWords(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
