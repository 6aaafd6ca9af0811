package trace

// Polls are accesses that a thread may make behind the last step. They change nothing, and the search was spared
// them. They are of a turn of a loop that waits, or of a try that fails and the way back from it.
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
