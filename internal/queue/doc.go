// Package queue hands the jobs of a class, and parts of one search, out to workers on many
// machines, by NATS JetStream.
//
// The server has, whatever is killed when:
//
//	stream LANDGO_JOBS         a message for each job that has no outcome yet. Its subject
//	                           has the job's key, and there is one message a subject: a
//	                           job that is offered twice is there once.
//	objects landgo-files       programs and inputs, by their digests; outcomes that are
//	                           too long for a message
//	key-value landgo-outcomes  the outcomes of jobs, by their keys
//
// A worker takes a message, keeps saying that it is at work (InProgress), puts the outcome,
// and only then acknowledges. So a job whose worker is killed is handed out again after a
// while (DeadAfter), and one that was done but not acknowledged is found to be done. The
// first outcome of a job stays. A job that was handed out grade.Tries times without an
// outcome is poison. The worker that gets it next tells that it was lost, and takes it out
// of the stream.
//
// The front watches the outcomes, and looks now and then for those that it waits for. So
// it finds an outcome whose message was lost, and offers a job again that a server lost.
// A front that was killed finds in the stream and among the outcomes what it has
// offered.
//
// Parts of one search, of landgo run, have a stream of their own, LANDGO_PARTS, in memory.
// A worker asks the search whether a part is wanted, works on it, and hands the result to
// the search, which waits for none.
//
// Jobs of different versions of landgo, or of its engine, have different subjects. A
// worker gets those of its own.
//
// The files:
//
//	connect.go  a connection, and what has to be there at the server
//	serve.go    a server in this process
//	message.go  a job and an outcome as bytes
//	outcome.go  outcomes at the server
//	offer.go    the front's side
//	desk.go     a worker's side
//	parts.go    parts of one search, at the side of the search
//	helper.go   and at a worker's
package queue
