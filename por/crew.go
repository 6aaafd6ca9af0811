package por

// How a search is split among workers.
//
// A worker is a System with an Observer and a goroutine of its own. The tree is
// shared near its root only (junction.go): a worker without work waits; one
// with work looks up every few hundred steps, and if somebody waits, it makes
// the path from the root to its shallowest state with a branch left common
// property. The other replays the path and takes the branch. So what a worker
// does alone costs it nothing.
//
// What a search has to offer to be split (Kind.Whole), if it is a strategy of
// the common walk:
//   - A branch's exploration is right whatever the order in which branches of
//     one state are taken, given that the sleep set has those taken before it,
//     in progress or done.
//   - It keeps nothing across executions but in the nodes of the path (todo,
//     done, sleep) and in what it can build again from the path's events; if it
//     has to do that, it is a resumer.
//   - Where it changes or reads todo or done of a node that may not be the last
//     one, it does so between explorer.enter and explorer.leave.
//
// A search with a walk of its own (Kind.run) has to see to it itself.
//
// Soundness. Let branches of a state be ordered by when they were taken: that is
// under a lock. The branch taken later has those taken before in its sleep set,
// as in the sequential search; that some of them are still in progress makes no
// difference to the tree, for what they did first, which is what sleep sets
// compare, is known when they are taken. A sequence v that a race gives is left
// out if a branch that is asleep, done or in progress begins it. For one in
// progress that is what the sequential search says of one that is done: by the
// end of the search, what it leads to that doesn't begin with something taken
// before has been explored, and what begins with that was covered from there,
// by induction over the order. That is the theorem of source-DPOR (JACM 2017,
// §5.3), which holds for any sleep set, whatever is explored first; its proof
// compares at the end of the exploration of a state, and a state's junction is
// left only when nothing is todo or in progress.
//
// Optimal-DPOR takes more for covered: what a sleeping step only commutes with,
// too. That holds because all that the sleeping step led to was put into the
// wakeup tree before the branch beside it was taken. Of a step that is in
// progress then it doesn't hold, so such a step sleeps as a stray (wakeup.go),
// for which source-DPOR's rule is used. That may cost runs that turn out
// redundant.
//
// So each trace is run at least once, and by the sleep sets at most once:
// complete executions and final states don't depend on the workers. The order
// of branches in which races put them does, and with it blocked and
// transitions, unless all branches are known from the start (none, sleep).

// Worker is a further system to search with.
type Worker struct {
	// Sys stands at the state at which the search began, knows threads by the
	// same numbers and has the same preemption points as the search's own.
	Sys System
	// Obs sees what is run there. Only Ended is called, from a goroutine of its
	// own; Progress and Restarted of the search's own observer speak for all.
	Obs Observer
}

// Crew offers workers to a search.
type Crew interface {
	// Hire returns workers, none if there are none to be had. They are with the
	// search until Settle; then they can be hired again.
	Hire() ([]Worker, error)
	// Settle is called when all workers have stopped, and makes known to all
	// systems what any of them learned of preemption points. news: it was new
	// to one, so what was explored is void.
	Settle() (news bool, err error)
}

// warmUp is the number of transitions without news of finer points after which
// a search takes in others: most searches that learn have learned by then.
const warmUp = 50_000

// resumer is a strategy that has to be told when the path was built by going
// back to a state that another worker, or an earlier run, had come to.
type resumer interface{ resumed() }
