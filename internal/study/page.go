package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"
)

// page is the summary, tables has everything.
//
//go:embed page.md
var page string

//go:embed tables.md
var tables string

// write fills in both pages, and draws the summary's figure beside it.
func (l *lab) write(path, full string, subjects []*subject) error {
	cells := l.cells(subjects)
	for path, text := range map[string]string{path: page, full: tables} {
		filled, err := fill(text, cells)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(filled), 0o644); err != nil {
			return err
		}
	}
	return l.drawing(subjects).draw(strings.TrimSuffix(path, ".md") + ".svg")
}

// fill puts the cells into a page. One that there isn't is an error.
func fill(text string, cells map[string]string) (string, error) {
	t, err := template.New("page").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, cells)
	return b.String(), err
}

// drawing is Figure 7 as a drawing.
func (l *lab) drawing(subjects []*subject) *figure {
	most := 0
	for _, s := range subjects {
		if s.class == wrong {
			most++
		}
	}
	f := l.figure(fmt.Sprintf("Bugs found, of %d", most), most, subjects, found)
	return &f
}

// cells are the page's figures and tables, by their names there.
func (l *lab) cells(subjects []*subject) map[string]string {
	classes := map[class]int{}
	mutants, checked, preempted, testNames := map[string]bool{}, 0, 0, map[string]bool{}
	for _, s := range subjects {
		classes[s.class]++
		testNames[s.test] = true
		if s.mutant != nil {
			mutants[s.folder()] = true
		}
		if s.checked {
			checked++
		}
		if s.preempted && s.class == wrong {
			preempted++
		}
	}
	builds := map[string]bool{}
	for _, s := range subjects {
		for _, c := range l.contestants {
			if t, ok := s.trials[c.name]; ok && s.counted() {
				builds[t.Landgo] = true
			}
		}
	}
	from := ""
	if len(builds) > 1 {
		from = fmt.Sprintf(" This page was made with `-stale`: its results are of %d builds of landgo, between which deepening changed.", len(builds))
	}
	if n := classes[missing]; n > 0 {
		from += fmt.Sprintf(" Pairs that are left out because they weren't done: %d.", n)
	}
	table := newTable("name", "search", "options")
	for _, c := range l.contestants {
		table.add("`"+c.name+"`", c.about, "`"+strings.Join(c.args, " ")+"`")
	}
	return map[string]string{
		"builds": from, "budget": fmt.Sprintf("%g", l.budget), "check": fmt.Sprint(checkBudget),
		"tests": number(len(testNames)), "mutants": number(len(mutants)),
		"counted": number(classes[wrong] + classes[right] + classes[undecided]),
		"wrong":   number(classes[wrong]), "right": number(classes[right]), "undecided": number(classes[undecided]),
		"preempted": number(preempted), "checked": of(checked, classes[equivalent]),
		"operators": operatorTable(subjects), "contestants": table.String(), "summary": l.summary(subjects),
		"headlines": l.headlines(subjects), "figure7b": l.figure7b(subjects), "forced": number(classes[forced]), "invalid": number(classes[unbuilt]),
		"deceivedLimited": number(deceived(subjects, deepLimited)), "deceivedPure": number(deceived(subjects, deepPure)),
		"figure7": l.figure7(subjects), "figure8": l.figure8(subjects),
		"table1": l.table1(subjects), "table2": l.table2(subjects), "table3": l.table3(subjects),
		"races": l.raceTable(subjects),
		"lost":  l.lost(subjects), "contradictions": l.contradicted(),
	}
}

// lost lists, for each contestant that deepening is held against, the bugs that
// it found and deepening with limited happens-before didn't.
func (l *lab) lost(subjects []*subject) string {
	t := newTable("contestant", "found, and deep-limited not", "the other way round", "pairs that deep-limited lost")
	for _, c := range l.contestants {
		if c.name == deepLimited.name {
			continue
		}
		var lost []string
		won := 0
		for _, s := range subjects {
			switch mine, theirs := s.bugBy(deepLimited.name), s.bugBy(c.name); {
			case theirs && !mine:
				lost = append(lost, s.name())
			case mine && !theirs:
				won++
			}
		}
		names := "-"
		if len(lost) > 0 {
			names = "`" + strings.Join(lost[:min(4, len(lost))], "`, `") + "`"
		}
		t.add(c.name, number(len(lost)), number(won), names)
	}
	return t.String()
}

func (l *lab) contradicted() string {
	if len(l.failures) == 0 {
		return "On the last run there was none."
	}
	return "On the last run:\n\n- " + strings.Join(l.failures, "\n- ")
}
