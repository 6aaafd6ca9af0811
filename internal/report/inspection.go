package report

import (
	"fmt"
	"io"
	"strings"

	"landgo/internal/result"
)

// Inspection writes landgo's view of a guest.
func Inspection(w io.Writer, i *result.Inspection, s Style) {
	p := newPage(s)
	defer p.flush(w)
	p.line("guest        %s", p.file(i.Guest.Path))
	p.line("sha256       %s", i.Guest.SHA256)
	p.line("format       %s", i.Format)
	for n, l := range i.Guest.Libraries {
		p.line("%-11s  %s sha256 %s", map[bool]string{true: "linked with"}[n == 0], p.file(l.Path), short(l.SHA256))
	}
	p.wrap("kernel       ", i.Kernel+why(i.How))
	p.line("libc         %s", i.Libc)
	p.line("entry        %s", p.where(i.Entry))
	p.line("symbols      %s; source lines %s", yes(i.Symbols), yes(i.Lines))
	p.functions(i.Functions)
	p.blank()
	p.line("Preemption points:")
	for _, k := range i.Points {
		places := "known when it runs"
		if k.Places >= 0 {
			places = count(uint64(k.Places), "place")
		}
		p.wrap(fmt.Sprintf("  %-8s  %-18s  ", k.Name, places), k.Note)
	}
	p.blank()
	p.line("Trusted:")
	p.list(i.Trusted, "nothing")
	p.blank()
	p.line("Not modelled:")
	var missing []string
	for _, u := range i.Unmodelled {
		missing = append(missing, clean(u.What)+" in "+p.where(u.Where))
	}
	p.list(missing, "nothing found; a run that meets something ends as invalid and names it")
}

// functions lists those whose meaning is known, by meaning.
func (p *page) functions(roles []result.Role) {
	p.blank()
	p.line("Functions whose meaning landgo knows:")
	if len(roles) == 0 {
		p.line("  none")
	}
	meanings, names := 0, 0
	for _, r := range roles {
		meanings, names = max(meanings, len(r.Meaning)), max(names, len(r.Function))
	}
	for _, r := range roles {
		trust := "tested"
		if r.Trusted {
			trust = "trusted"
		}
		p.line("  %-*s  %-*s  %-10s  %s", meanings, r.Meaning, names, clean(r.Function), r.Address, trust)
	}
}

func (p *page) list(items []string, none string) {
	if len(items) == 0 {
		items = []string{none}
	}
	for _, t := range items {
		p.wrap("  ", t)
	}
}

func why(how string) string {
	if how == "" {
		return ""
	}
	return " (" + strings.TrimSuffix(clean(how), ".") + ")"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
