// Package format writes results for other programs: graders, tools of continuous
// integration, spreadsheets.
//
// Each format takes a list of cases. A run has one and a grading many. Names and messages
// of a guest or a file are hostile. No text of theirs ends a field, a line or a document,
// and no program that reads the document obeys it. The same cases give the same bytes.
//
// # The files
//
//	format        a case, and the table of formats
//	kinds         what each kind of bug is called
//	flow          a bug's run as steps with places
//	autolab, gradescope    graders
//	github, junit, sarif   continuous integration
//	csv, lcov     tables, coverage
package format
