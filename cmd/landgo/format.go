package main

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/format"
	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/sources"
)

// documentWidth is that of the texts in documents.
const documentWidth = 80

// show prints a result as the configuration asks.
func (a *app) show(r *result.Result, c *config.Config, from sources.Folders) error {
	a.told = true
	s := style(a.stdout, from, c.Verbose)
	return a.print(func(w io.Writer) {
		switch {
		case c.Format == config.JSONFormat:
			report.JSON(w, r)
		case c.Format != config.TextFormat:
			document(w, c, r, nil)
		case c.Brief:
			report.Brief(w, r, s)
		default:
			report.Text(w, r, s)
		}
	})
}

// showError prints an error as the result's reader takes it, if that isn't text, which is
// on standard error, and if there is no result on standard output already.
func (a *app) showError(err error) {
	if a.told || a.asked.Format == config.TextFormat {
		return
	}
	a.told = true
	a.print(func(w io.Writer) { // an error of the output hides no other one
		if a.asked.Format == config.JSONFormat {
			report.JSON(w, result.NewFailure(err))
			return
		}
		document(w, &a.asked, nil, err)
	})
}

// document writes a run's result, or its error, for another program.
func document(w io.Writer, c *config.Config, r *result.Result, err error) {
	name := "landgo"
	if c.Guest != "" {
		name = filepath.Base(c.Guest)
	}
	s := style(io.Discard, nil, false)
	s.Width = documentWidth
	if err := format.Write(w, c.Format, []format.Case{format.NewCase(name, c.Points, r, err)}, format.Options{Style: s, Now: time.Now()}); err != nil {
		panic(err) // plain data, and the writer is a buffer
	}
}

// askedBy is the form of the result that arguments ask for, as far as they can be read: an error
// of the arguments is reported in it.
func askedBy(args []string) config.Config {
	c := config.Default()
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(args[i], "--")
		name, value, given := strings.Cut(name, "=")
		if !isFlag || name != "json" && name != "format" && name != "points" {
			continue
		}
		o := config.OptionNamed(name)
		switch {
		case given:
		case o.Value == "":
			value = "true"
		case i+1 < len(args):
			i++
			value = args[i]
		}
		o.Apply(&c, value) // a wrong value is the error that is told
	}
	return c
}
