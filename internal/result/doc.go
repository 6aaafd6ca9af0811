// Package result is landgo's report about a guest: the verdict, the bug with
// its interleaving and places, the certificate, their JSON form, the bug file,
// and the table of errors.
//
// It stands between explore, which fills these values in, and report and
// cmd/landgo, which show them. The values are plain data: identical runs give
// identical ones, but for times.
//
// # The files
//
//	a result      result, verdict, claim (what is said without a verdict), amount, outcome, warning
//	a bug         bug, fingerprint (which mistake it is), cure (fences), bugfile, names (of threads), ignored
//	a search      job, rung (what was found beside it), progress, longest, coverage
//	other results inspection, exploring (landgo explore), failure
//	errors        errors, problems (their table), errortable (its text), missed (a file that the guest had to be given)
//	forms         lists (never null), version
package result
