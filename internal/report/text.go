package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"landgo/internal/result"
)

// Text writes the screen for a result.
func Text(w io.Writer, r *result.Result, s Style) {
	p := newPage(s)
	p.names = r.Names()
	defer p.flush(w)
	p.headline(r)
	switch {
	case r.Verdict == result.Buggy:
		p.bugs(r)
	case r.Verdict == result.Invalid:
		p.places(r)
		p.problem(r, true)
	case r.Verdict == result.Budget:
		p.places(r)
		p.effort(r)
		p.problem(r, false)
	case r.Reason != "":
		p.wrap("  ", clean(r.Reason))
	}
	if r.Replay != nil {
		p.replayed(r.Replay)
	}
	if len(r.Account) > 0 {
		p.account(r.Account)
	}
	p.ignored(r)
	p.outcomes(r)
	p.races(r)
	p.unexamined(r)
	p.jobs(r)
	p.coverage(r.Coverage)
	p.blank()
	p.figures(r)
	p.certificate(&r.Certificate, r.Guest.Libraries)
}

// headline is the verdict, which never stands without its scope: the points, the bound and the
// memory model.
func (p *page) headline(r *result.Result) {
	guest := p.file(cmp.Or(r.Guest.Source, r.Guest.Path))
	verdict, model, rest := string(r.Verdict), r.Certificate.Under(), ""
	switch r.Verdict {
	case result.Verified:
		verdict += " at " + r.Granularity
		if !sequentialOnly(r) { // the warning names it
			verdict += model
		}
		rest = "no interleaving of " + guest + withFaults(r) + " has " + aBug(r) + differs(r)
		if p.warned(verdict, rest, r.Warnings) {
			return
		}
	case result.Bounded:
		verdict += " by " + r.Bound + " at " + r.Granularity + model
		rest = "no interleaving of " + guest + withFaults(r) + " within the bound has " + aBug(r) + differs(r)
		if p.warned(verdict, rest, r.Warnings) {
			return
		}
	case result.Buggy:
		verdict += model
		rest = string(r.Bug.Kind) + ": " + clean(r.Bug.Says())
	case result.Budget:
		verdict += model
		rest = clean(r.Reason) + "; no bug so far in " + guest + " at " + r.Granularity
		claimed, tried := r.Claimed(), r.Tried()
		if claimed != "" {
			rest = clean(r.Reason) + "; " + claimed + " in " + guest + " at " + r.Granularity + ", and none so far with more"
		}
		if tried != "" {
			rest += " (" + tried + ")"
		}
		if r.Replay != nil {
			rest = clean(r.Reason)
		}
	case result.Invalid:
		rest = clean(r.Reason)
		if own := r.OwnCure(); own != "" {
			rest = strings.TrimSuffix(rest, ": "+clean(own))
		}
	}
	if r.Verdict == result.Budget {
		for i := range r.Rungs {
			rest += "; " + clean(r.Rungs[i].Text())
		}
	}
	text := verdict + ": " + rest
	if len(text) <= p.width {
		p.boldLine(verdict, ": "+rest)
	} else {
		p.wrap("", text)
	}
}

// sequentialOnly reports whether the first warning is that about the memory model.
func sequentialOnly(r *result.Result) bool {
	return len(r.Warnings) > 0 && r.Warnings[0].Code == result.SequentialOnly
}

// withFaults says which failures of calls executions could have.
func withFaults(r *result.Result) string {
	if r.Faults == "" {
		return ""
	}
	return " with " + r.Faults
}

// aBug names the bug that no execution has.
func aBug(r *result.Result) string {
	if len(r.Ignored) > 0 {
		return "another bug"
	}
	return "a bug"
}

// warned is the headline of a verdict that means less than it seems to, if it does.
func (p *page) warned(verdict, rest string, all []result.Warning) bool {
	if len(all) == 0 {
		return false
	}
	if text := verdict + ", but " + clean(p.names.In(all[0].Text)); len(text) <= p.width {
		p.boldLine(text, "")
	} else {
		p.wrap("", text)
	}
	for _, w := range all[1:] {
		p.wrap("  and  ", clean(p.names.In(w.Text)))
	}
	p.wrap("  ", rest)
	return true
}

// replayed says whether a replay showed its bug.
func (p *page) replayed(r *result.Replay) {
	p.blank()
	switch {
	case r.Same && r.Expected == "":
		p.line("The schedule leads to this bug.")
	case r.Same:
		p.line("The same bug came back.")
	case r.Expected != "":
		p.wrap("", fmt.Sprintf("The bug of the file didn't come back: %s: %s", r.Expected, clean(r.Message)))
	case r.Unfinished:
		p.line("The schedule ends before the execution does, and leads to no bug.")
	default:
		p.line("The schedule leads to no bug.")
	}
}

// places shows the place of the reason in the guest.
func (p *page) places(r *result.Result) {
	for i, f := range r.Place {
		if i == maxFrames {
			break
		}
		if i == 0 {
			p.line("  in %s", p.fit(f, 5))
			p.quote("       ", f, "")
			continue
		}
		p.line("  called by %s", p.fit(f, 12))
	}
}

// problem shows the cure for a result's reason, and its full cause.
func (p *page) problem(r *result.Result, full bool) {
	if r.Problem == "" {
		return
	}
	problem := result.Explain(r.Problem)
	if full {
		p.wrap("  why:  ", problem.Cause)
	}
	p.wrap("  cure: ", cmp.Or(clean(r.OwnCure()), problem.Cure)+" [landgo help errors "+string(problem.Kind)+"]")
}

// ignored lists the known bugs that the search went on behind.
func (p *page) ignored(r *result.Result) {
	if len(r.Ignored) == 0 {
		return
	}
	p.blank()
	p.line("Ignored, as --ignore says:")
	for _, i := range r.Ignored {
		p.wrap("  ", fmt.Sprintf("%s in %s, first %s", clean(i.Rule), count(i.Executions, "execution"), clean(i.First)))
	}
}

// unexamined lists the pairs that a verdict leaves open.
func (p *page) unexamined(r *result.Result) {
	if r.Unexamined == 0 {
		return
	}
	p.blank()
	p.wrap("", fmt.Sprintf("Not examined: %s of conflicting accesses by different threads, seen with neither a preemption point nor a common lock between:", count(r.Unexamined, "pair")))
	for _, pair := range r.UnexaminedFirst {
		p.wrap("  ", fmt.Sprintf("%s: %s; %s", clean(p.names.In(pair.Variable)), p.brief(&pair.First), p.brief(&pair.Second)))
	}
	if n := r.Unexamined - uint64(len(r.UnexaminedFirst)); n > 0 && n < r.Unexamined {
		p.line("  and %s", count(n, "other"))
	}
	if r.Finer != "" {
		p.line("To examine them:")
		p.line("  %s", r.Finer)
	}
}

// brief is an access in a few words.
func (p *page) brief(a *result.Access) string {
	return fmt.Sprintf("%s %s it in %s", clean(p.names.Of(a.Thread)), a.Op, p.where(result.Innermost(a.Stack)))
}

// figures says how much was run, within which bound, and for how long.
func (p *page) figures(r *result.Result) {
	assumed := ""
	if r.AssumedAway > 0 {
		assumed = ", " + group(r.AssumedAway) + " of them assumed away"
	}
	threads := ""
	if r.Threads > 0 { // else no execution ended
		threads = "; at most " + count(uint64(r.Threads), "thread")
	}
	p.wrap("executions   ", fmt.Sprintf("%s complete%s, %s blocked, %s pruned%s", group(r.Executions), assumed, group(r.Blocked), group(r.Pruned), threads))
	p.wrap("transitions  ", fmt.Sprintf("%s, %s of them replayed; %s", group(r.Transitions), group(r.Replayed), count(r.Instructions, "instruction")))
	p.wrap("search       ", fmt.Sprintf("%s, bound %s, points %s, on %s", r.Search, r.Bound, r.PP, r.Kernel))
	if r.Distinct > 0 {
		p.wrap("sampled      ", fmt.Sprintf("%s among the executions; how many there are in all isn't known", count(r.Distinct, "distinct trace")))
	} else if r.Replay == nil && r.Verdict != result.Invalid {
		p.wrap("estimate     ", p.estimate(r))
	}
	p.line("time         %.2f s", r.Seconds)
}

func (p *page) estimate(r *result.Result) string {
	e := r.Estimate
	switch {
	case r.Verdict == result.Verified || r.Verdict == result.Bounded:
		return fmt.Sprintf("%s in all: the whole space was explored", count(r.Executions, "execution"))
	case e.Executions == 0:
		return "too early to say"
	}
	text := fmt.Sprintf("%s of about %s explored", percent(float64(e.Explored)), amount(e.Executions, "execution"))
	if math.Abs(float64(e.Executions*e.Explored)-float64(r.Executions)) > 1 && len(r.Jobs) > 1 {
		text = "of the search at mem, " + text
	}
	about := "about "
	if e.Rises {
		about = ""
		text += ", and this number still grows"
	}
	if e.Least > 0 && e.Most > e.Least*1.5 {
		text += fmt.Sprintf(" (since a quarter of these the estimates were %s to %s)", strings.TrimSuffix(amount(e.Least, "execution"), " executions"), amount(e.Most, "execution"))
	}
	if e.SecondsLeft > 0 && r.Verdict == result.Budget {
		text += fmt.Sprintf("; the rest would take %s%s", about, seconds(float64(e.SecondsLeft)))
		if e.Rises {
			text += " or more"
		}
	}
	return text
}

// amount is an estimated number with its noun. From a billion billions on, only its
// magnitude says anything.
func amount(n result.Amount, noun string) string {
	switch {
	case n < 1e18:
		return count(uint64(max(n, 0)), noun)
	case n.Known():
		return fmt.Sprintf("10^%.0f %ss", math.Log10(float64(n)), noun)
	}
	return "10^300 " + noun + "s or more"
}

// certificate shows the basis of the result: a line, or all of it.
func (p *page) certificate(c *result.Certificate, libraries []result.Library) {
	if !p.style.Verbose {
		p.wrap("certificate  ", p.basis(c)+"; -v for all")
		return
	}
	p.wrap("certificate  ", "image sha256 "+short(c.Image)+"; granularity "+c.Granularity+"; bound "+c.Bound+"; search "+c.Search)
	for i, l := range libraries {
		head := "             "
		p.wrap(head, map[bool]string{true: "linked with ", false: "            "}[i == 0]+l.Path+" sha256 "+short(l.SHA256))
	}
	const indent = "             "
	p.wrap(indent, "memory "+c.Memory+"; timeouts "+c.Timeouts+"; "+c.Trusted)
	if strings.Contains(c.Profile, ", ") { // the user's
		p.wrap(indent, "profile "+clean(c.Profile))
	}
	if len(c.Calls) > 0 {
		p.wrap(indent, "system calls met: "+clean(strings.Join(c.Calls, " ")))
	}
	if c.Faults != "" {
		p.wrap(indent, "with "+c.Faults)
	}
	for _, a := range c.Assumptions {
		p.wrap(indent, clean(a))
	}
	p.wrap(indent, "self-check "+c.SelfCheck+"; "+c.Engine)
}

// basis is a certificate in a line.
func (p *page) basis(c *result.Certificate) string {
	text := "at " + clean(jobName(c.Granularity))
	if c.Bound != "none" {
		text += " within " + c.Bound
	}
	if c.Faults != "" {
		text += ", with " + c.Faults
	}
	memory, _, _ := strings.Cut(c.Memory, " (")
	return text + ", " + memory + ", " + clean(c.Basis)
}

// short is the beginning of a digest, enough to tell guests apart by eye; JSON
// has the whole one.
func short(digest string) string {
	if len(digest) <= 16 {
		return digest
	}
	return digest[:16]
}

// percent is a share, with as many digits as it deserves.
func percent(share float64) string {
	switch {
	case share >= 1:
		return "100%"
	case share >= 0.995: // not 100% before all was explored
		return "99%"
	case share >= 0.1:
		return fmt.Sprintf("%.0f%%", 100*share)
	case share >= 0.001:
		return fmt.Sprintf("%.1f%%", 100*share)
	case share > 0:
		return "less than 0.1%"
	}
	return "0%"
}

// seconds is a time in the unit that a person would choose.
func seconds(s float64) string {
	switch {
	case s < 1:
		return "a second"
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 100*60:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 72*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	case s < 1000*86400:
		return fmt.Sprintf("%.0f days", s/86400)
	}
	return "years"
}
