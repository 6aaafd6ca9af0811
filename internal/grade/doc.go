// Package grade checks a class: each submission with each test of a course.
//
// A job is one program and one test's options. Two students with the same program have the
// same job, and a job that was done once is never done again. Its outcome is a file in the
// run's folder, under a name made of all that the outcome depends on. So the same command
// goes on where a killed one was, and its tables are those of one that nothing disturbed.
// There is no time in them, and their order is that of the names.
//
// The files:
//
//	run.go         a class from its folders to its tables
//	submission.go  what a student handed in, read and copied without trust
//	archive.go     a submission that is an archive is unpacked, without trust
//	build.go       a submission is built, once for each different one
//	store.go       the run's folder: what is done is there for good
//	version.go     what outcomes are kept for
//	outcome.go     the outcome of a job, as it is kept
//	desk.go        where jobs are handed out and outcomes come back
//	worker.go      a job is done by an engine
//	table.go       points, the matrix, the mistakes
//	text.go, html.go, cases.go  the tables for people and programs
//	pages.go       a bug is drawn
//	progress.go    the live line
package grade
