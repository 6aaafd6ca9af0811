// Package report shows results: a first screen that a student understands, a
// step-by-step account of a replay, an inspection, progress, and JSON for
// machines.
//
// It turns plain values of package result into text and knows nothing of how
// they came about. The same value gives the same bytes: no clock, no map order,
// no terminal is asked here; Style has all that the look depends on.
//
// # The files
//
//	a run         text (the whole), sections (rows and folded turns), brief (twenty lines), bug, progress
//	a bug         switches (the story), account (step by step), waits (which thread waits for what), calls, block
//	beside it     races, outcomes, coverage, jobs (sets of points), longest (executions without an end)
//	other         report (how it looks, JSON), inspection (of a guest)
package report
