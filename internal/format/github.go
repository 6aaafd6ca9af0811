package format

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"landgo/internal/result"
)

// github writes commands to a workflow of GitHub Actions, which shows each beside the
// line of the source that it names. A command is one line.
func github(w io.Writer, cases []Case, o Options) error {
	for i := range cases {
		c := &cases[i]
		title := "landgo: " + c.verdict()
		if len(cases) > 1 {
			title = "landgo: " + c.Name + ": " + c.verdict()
		}
		bugs := c.bugs()
		for n, b := range bugs {
			own := *c.Result
			own.Bug, own.Bugs = b, []*result.Bug{b}
			one := *c
			one.Result = &own
			if err := githubCommand(w, "error", mainPlace(b), title+": "+string(b.Kind)+ordinal(n, len(bugs)), one.paged(o), o); err != nil {
				return err
			}
		}
		if len(bugs) > 0 {
			continue
		}
		kind, place := "error", result.Frame{}
		if c.passed() {
			kind = "notice"
			if len(c.Result.Warnings) > 0 {
				kind = "warning"
			}
		} else if c.Result != nil {
			place = result.Innermost(c.Result.Place)
		}
		if err := githubCommand(w, kind, place, title, c.text(o), o); err != nil {
			return err
		}
	}
	return nil
}

// ordinal is " (2 of 3)", or "" where there is one only.
func ordinal(n, all int) string {
	if all == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", n+1, all)
}

func githubCommand(w io.Writer, kind string, place result.Frame, title, text string, o Options) error {
	where := ""
	if known(place) {
		where = fmt.Sprintf("file=%s,line=%d,", githubProperty(relative(place.File, o.Style.Dir)), place.Line)
		if place.Column > 0 {
			where += fmt.Sprintf("col=%d,", place.Column)
		}
	}
	_, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", kind, where, githubProperty(title), githubData(strings.TrimSuffix(text, "\n")))
	return err
}

// githubData is a command's message; the runner decodes these three, % last.
var githubData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace

// githubProperty is a command's property, where a comma and a colon have a meaning too.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(result.Printable(s)))
}

// relative is a path below a folder as it is seen from there, and any other as it is.
func relative(path, dir string) string {
	if dir == "" || !filepath.IsAbs(path) {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
