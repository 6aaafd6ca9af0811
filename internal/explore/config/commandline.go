package config

import (
	"encoding/json"
	"strings"

	"landgo/internal/trace"
)

// ReplayCommand is the command line that replays a bug. It names the bug's file if
// there is one, with the guest if that is another than the file names. Else it has the
// schedule with the options that it was made with.
func (c *Config) ReplayCommand(file, schedule string, guest ...string) string {
	if file != "" {
		words := []string{"landgo", "replay"}
		for _, arg := range append(append(c.replayFlags(), file), guest...) {
			words = append(words, shellQuote(arg))
		}
		return strings.Join(words, " ")
	}
	return commandLine("replay", c.keptOnly(), "--schedule "+shellQuote(schedule)+" ", shellQuote(c.Guest))
}

// FinerCommand is the command line that runs the same at the finest
// granularity.
func (c *Config) FinerCommand() string {
	finer := *c
	finer.PP, finer.Races, finer.Deepen = trace.MemPoints, nil, true
	finer.Rules = nil
	// mem is the default, but the reader has to see it.
	return commandLine("run", &finer, "--pp mem ", shellQuote(c.Guest))
}

// keptOnly is the configuration with the options that schedules depend on, and
// the others at their defaults.
func (c *Config) keptOnly() *Config {
	kept := Default()
	kept.Guest = c.Guest
	if err := json.Unmarshal(c.Kept(), &kept); err != nil {
		panic(err) // Kept wrote it
	}
	return &kept
}

// commandLine has the options that aren't at their defaults.
func commandLine(command string, c *Config, first, guest string) string {
	var b strings.Builder
	b.WriteString("landgo " + command + " " + first)
	for _, arg := range c.optionArgs() {
		b.WriteString(shellQuote(arg) + " ")
	}
	b.WriteString(guest)
	if len(c.Args) > 0 {
		b.WriteString(" --")
	}
	for _, arg := range c.Args {
		b.WriteString(" " + shellQuote(arg))
	}
	return b.String()
}

// optionArgs lists the options that aren't at their defaults, as arguments.
// The rules come in their own order, for the last one that matches wins.
func (c *Config) optionArgs() (args []string) {
	for i := range Options {
		o := &Options[i]
		if o.Name == "within" {
			for _, r := range c.Rules {
				name, _, _ := strings.Cut(r.String(), " ")
				args = append(args, "--"+name, r.Function)
			}
		}
		values := o.Get(c)
		if o.Name == "within" || o.Name == "without" || strings.Join(values, ",") == o.Default() {
			continue
		}
		for _, v := range values {
			args = append(args, "--"+o.Name)
			if o.Value != "" {
				args = append(args, v)
			}
		}
	}
	return args
}

// shellQuote is a word as a POSIX shell takes it.
func shellQuote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=@+%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
