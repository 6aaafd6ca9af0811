package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func one(v string) []string {
	if v == "" {
		return nil
	}
	return []string{v}
}

func flag(on bool) []string {
	if on {
		return one("true")
	}
	return nil
}

func rules(c *Config, without bool) (values []string) {
	for _, r := range c.Rules {
		if r.Without == without {
			values = append(values, r.Function)
		}
	}
	return values
}

func setSwitch(field *bool, v string) (err error) {
	if *field, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("want true or false, got %q", v)
	}
	return nil
}

func setPath(field *string, v string) error {
	if v == "" {
		return fmt.Errorf("want a file's name")
	}
	*field = v
	return nil
}

// setOutput is setPath of a file that is written.
func setOutput(field *string, v string) error {
	if v == "-" {
		return fmt.Errorf("want a file's name: standard output has the report, and a file of the name - is ./-")
	}
	return setPath(field, v)
}

func setCount(field *uint64, v string, least uint64) error {
	n, err := strconv.ParseUint(v, 10, 63)
	if err != nil || n < least {
		return fmt.Errorf("want a number of %d or more, got %q", least, v)
	}
	*field = n
	return nil
}

func setWord[T ~string](field *T, v string, words ...string) error {
	for _, w := range words {
		if v == w {
			*field = T(v)
			return nil
		}
	}
	return fmt.Errorf("want %s; got %q%s", strings.Join(words, ", "), v, DidYouMean("%s", v, words))
}

func setProcessors(c *Config, p Processors, v string) error {
	on := false
	if err := setSwitch(&on, v); err != nil || !on {
		return err
	}
	if c.Processors != ProcessorsAuto && c.Processors != p {
		return fmt.Errorf("--smp and --up contradict each other")
	}
	c.Processors = p
	return nil
}

func addRule(c *Config, r Rule) error {
	if r.Function == "" || strings.ContainsAny(r.Function, " \t\n") {
		return fmt.Errorf("want a function's name, got %q", r.Function)
	}
	c.Rules = append(c.Rules, r)
	return nil
}

func setFile(c *Config, v string) error {
	if v == WritesFiles {
		if !c.WritesFiles() {
			c.Files = append(c.Files, GuestFile{Guest: WritesFiles})
		}
		return nil
	}
	host, guest, ok := strings.Cut(v, ":")
	if !ok {
		guest = host
	}
	if host == "" || guest == "" || strings.ContainsRune(v, 0) {
		return fmt.Errorf("want HOST or HOST:GUEST, got %q", v)
	}
	if guest == WritesFiles {
		guest = "/" + guest
	}
	if strings.HasPrefix(guest, diskName) {
		return fmt.Errorf("%q is what landgo calls a disk: want another path", guest)
	}
	c.Files = append(c.Files, GuestFile{Host: host, Guest: guest})
	return nil
}

func setChecks(c *Config, v string) error {
	for _, word := range strings.Split(v, ",") {
		var known string
		if err := setWord(&known, word, checks...); err != nil {
			return err
		}
		if !c.Checks(known) {
			c.CheckFor = append(c.CheckFor, known)
		}
	}
	slices.Sort(c.CheckFor)
	if c.Checks(CheckLeak) && c.Checks(CheckLeakAll) {
		return fmt.Errorf("leak and leak-all contradict each other")
	}
	return nil
}

func setLocks(c *Config, v string) error {
	kind, list, named := strings.Cut(v, "=")
	switch {
	case v == "trusted":
		c.LocksTested = nil
	case v == "tested":
		c.LocksTested = []string{AllLocks}
	case kind == "tested" && named:
		names := strings.Split(list, ",")
		for _, n := range names {
			if n == "" || n == AllLocks {
				return fmt.Errorf("want names of functions after tested=, got %q", list)
			}
		}
		c.LocksTested = names
	default:
		return fmt.Errorf("want trusted, tested or tested=FUNCTION,...; got %q%s", v, DidYouMean("%s", v, []string{"trusted", "tested"}))
	}
	return nil
}
