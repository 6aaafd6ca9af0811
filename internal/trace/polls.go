package trace

// Polls are accesses that a thread may make behind the last step, that change nothing, and that the search was
// spared: of a turn of a loop that waits, of a try that fails and the way back from it.
type Polls struct {
	Thread   TID
	Accesses []Access // in their order
	// Came: the thread came there in the last step. If not, it may be on its way back from a try, the first of
	// these. Past: they aren't possible behind the last step, and perhaps were before.
	Came, Past bool
	// Before reports whether they could have come before a step that wrote these bytes, so many steps back from
	// the last one.
	Before func(back int) bool
}
