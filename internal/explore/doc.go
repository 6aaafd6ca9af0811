// Package explore explores one guest: it hands a session (internal/explore/session) to a search
// of package por (hunt), or to many (deepening). It finds the least interleaving of
// each bug (minimise), has its story told (internal/explore/story), and returns a result.Result.
// A search can be left in a file, and gone on with (internal/explore/saved).
//
// It stands above all packages but report and the command. Invariant: a result
// is a function of the image, the configuration and landgo's version; only
// times differ.
//
// # The files
//
//	the way in       run (Run), replay (Replay), debug, byhand, inspection, help (parts of another
//	                 process's search), observer (progress and what was found, for the caller)
//	one search       search, hunt (what a search is, and that it is por's Observer), checkpoint, crew (several
//	                 workers), lend (workers elsewhere), prompt (stopped within a step), sofar, longest,
//	                 lookout (that, while no execution ends)
//	many searches    deepen (the loop), deepening (its state), seeds (where it begins), space (what is kept of a job that
//	                 rests), turn (one at work), round (several at once), narrow (jobs by parts),
//	                 deepensave, jobcounts, jobtable, jobverdict
//	beside them      ways (samples), stride (of long executions), bounded (ascending bounds: preemptions, then delays), bystates, fewer (spared more), claim (what these prove
//	                 where no verdict is), rung (locks trusted first), coarse (kernels at few points
//	                 first), ladder (which of these there are, and when), confirm (their bugs without that)
//	what it finds    outcome and outputsave (outputs), differing (outputs as bugs), raced (races as
//	                 bugs), ignored, memory (the memory model), atonce (a system call's copy), copies (a second search, with divided copies), again (one with buffers),
//	                 sampled (samples with buffers), bufferstates (states with buffers), rest (how much is left),
//	                 besides (other executions, where one has no end), selfcheck (executions run twice)
//	a bug, smaller   minimise (a search for fewer preemptions), shorten (preemptions of the execution
//	                 left out, by internal/explore/shorter), fewerfaults, plainer (smaller values),
//	                 patience (how long all that may take, and what steps cost)
//	a bug, told      outline (at once), report, passing (a run that passes, to compare), cure (fences)
package explore
