package session

import (
	"slices"
	"strings"
)

// OpenMP's libraries turn in a loop before they sleep: gcc's 300,000 times at each wait. Each
// turn looks at a word that other threads write, and one of few bounds in the library ends the
// loop. Run turn by turn, nothing of the program would be seen for them. Each library reads
// from its environment whether it turns or sleeps at once. It sleeps only where the word still
// has its old value, as a turn goes on only then. So all that the program's own code can
// do is there without the turns.
//
// landgo chooses the guest's environment. So a guest with such a library is told to sleep
// at once, unless the user says something about that.

// passive tells an OpenMP library to sleep at once.
const passive = "OMP_WAIT_POLICY=passive"

// waitPolicies are the variables by which the libraries are told how to wait: the
// standard's, and those of gcc's and LLVM's.
var waitPolicies = []string{"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="}

// openMP reports whether the guest is told to sleep at once.
func (p *Program) openMP() bool {
	if !p.Image.Has("GOMP_parallel") && !p.Image.Has("__kmpc_fork_call") {
		return false
	}
	return !slices.ContainsFunc(p.Config.Env, func(e string) bool {
		return slices.ContainsFunc(waitPolicies, func(v string) bool { return strings.HasPrefix(e, v) })
	})
}

// environment is the guest's.
func (p *Program) environment() []string {
	if !p.openMP() {
		return p.Config.Env
	}
	return append(slices.Clone(p.Config.Env), passive)
}
