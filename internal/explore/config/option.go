package config

import (
	"strings"

	"landgo/internal/result"
)

// Option describes one command-line option. The command's flags, their help,
// the man page and docs/reference.md are made from the table Options, so they
// can't differ.
type Option struct {
	Name string
	// Short is a letter that stands for the name after one dash, or "".
	Short string
	Group Group
	// Value names the option's value in help; "" for a switch.
	Value string
	// Repeat: the option may be given several times, and each adds.
	Repeat bool
	// Hidden options are for landgo's own tests: only the reference has them.
	Hidden bool
	// Help is one line, Doc what the reference adds to it.
	Help, Doc string
	// Words are the values, where they can be listed; with List, a value is a
	// comma list of them.
	Words []string
	List  bool
	// Set gives the option a value, "true" for a switch, and checks it.
	Set func(c *Config, value string) error
	// Get is the value that Set takes, one for each repetition.
	Get func(c *Config) []string
}

// Group is a heading under which options are shown.
type Group string

// The groups, in the order in which they are shown.
const (
	GroupGuest  Group = "The guest's input"
	GroupPoints Group = "Preemption"
	GroupWorld  Group = "The guest's world"
	GroupSearch Group = "The search"
	GroupLimits Group = "Limits"
	GroupOutput Group = "Output"
	GroupTests  Group = "For landgo's own tests"
)

// Groups lists them.
var Groups = []Group{GroupGuest, GroupPoints, GroupWorld, GroupSearch, GroupLimits, GroupOutput, GroupTests}

// Default is the text of an option's default, or "" if it has none.
func (o *Option) Default() string {
	c := Default()
	return strings.Join(o.Get(&c), ",")
}

// Flag is how the option is given: "--verbose", with its letter before it if it has one.
func (o *Option) Flag() string {
	if o.Short != "" {
		return "-" + o.Short + ", --" + o.Name
	}
	return "--" + o.Name
}

// Kept reports whether schedules depend on the option, so that a bug file keeps
// its value.
func (o *Option) Kept() bool {
	switch o.Group {
	case GroupGuest, GroupPoints, GroupWorld, GroupTests:
		return true
	case GroupLimits:
		return o.Name == "step-budget" || o.Name == "max-threads" || o.Name == "max-output"
	case GroupSearch:
		return o.Name == "keep-going" || o.Name == "ignore" // an error of the heap doesn't end an execution then
	}
	return false
}

// OfHost reports whether the option, which schedules depend on, is this machine's
// all the same: a limit, or a file that is read. It goes with a bug file, which sets
// none of them.
func (o *Option) OfHost() bool {
	switch o.Name {
	case "stdin", "file", "disk", "sysroot", "library-path":
		return true
	}
	return o.Group == GroupLimits
}

// OptionNamed is the entry of a name, or nil.
func OptionNamed(name string) *Option {
	for i := range Options {
		if Options[i].Name == name {
			return &Options[i]
		}
	}
	return nil
}

// Apply sets an option and names it in the error.
func (o *Option) Apply(c *Config, value string) error {
	err := o.Set(c, value)
	if err == nil {
		return nil
	}
	if result.KindOf(err) != result.Fault {
		return err // says it all already
	}
	return result.Errorf(result.Usage, "--%s: %w", o.Name, err)
}
