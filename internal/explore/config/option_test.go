package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"landgo/internal/result"
)

// samples has a value other than the default for each option.
var samples = map[string]string{
	"env": "A=1", "sysroot": "/srv/root", "library-path": "/opt/lib", "library": "libplugin.so", "cmdline": "test=lock quiet", "disk": "0:fs.img", "stdin": "in.txt", "file": "a.txt:/etc/a", "pp": "yield,lock,race=main+0x12", "within": "f", "without": "g",
	"model": "tso", "smp": "true", "up": "true", "timeouts": "any", "copies": "divided", "faults": "malloc=1,spurious=2", "ticks": "3", "locks": "tested=lock,unlock", "observe": "stdout", "trust": "mutex,cond", "fail-on": "race,output", "check": "leak", "malloc": "native", "profile": "testdata/profile.yaml",
	"race": "hb", "search": "dpor", "bound": "preempt=2", "bound-from": "1", "keep-going": "true", "jobs": "3", "checkpoint": "c.ckpt", "checkpoint-every": "1m", "resume": "r.ckpt", "self-check": "true", "strict": "true",
	"time": "10m", "memory": "512M", "max-executions": "7", "step-budget": "1000", "max-threads": "5", "max-output": "4K", "confine": "off",
	"out": "x.landgo", "html": "x.html", "coverage": "true", "coverage-out": "x.info", "source": "src", "snapshot": "boots", "json": "true", "format": "sarif", "brief": "true", "points": "12.5", "quiet": "true", "verbose": "true", "ignore": "heap@pop", "native-sync": "true", "all-shared": "true", "no-heap": "true", "processor-time": "true", "sync-only": "true", "candidates-only": "true",
}

// TestOptionsCoverConfig: each option changes a field and says its value. An option
// changes each field, except the guest, its arguments, the contents that a bug
// file has in a file's place, and what a search sets for another one.
func TestOptionsCoverConfig(t *testing.T) {
	changed := map[string]bool{"Guest": true, "Args": true, "GuestNamed": true, "Input": true, "InputLeft": true, "Leaves": true}
	for i := range Options {
		o := &Options[i]
		sample, ok := samples[o.Name]
		if !ok {
			t.Errorf("--%s has no sample in this test", o.Name)
			continue
		}
		c := Default()
		if err := o.Apply(&c, sample); err != nil {
			t.Errorf("--%s %s: %v", o.Name, sample, err)
		}
		if got := strings.Join(o.Get(&c), " "); !strings.HasSuffix(got, sample) {
			t.Errorf("--%s %s: Get gives %q", o.Name, sample, got)
		}
		if o.Help == "" || o.Doc == "" || strings.HasSuffix(o.Help, ".") || !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("--%s: the help has to be a clause, and the doc whole sentences", o.Name)
		}
		defaults := Default()
		if kept := string(c.Kept()) != string(defaults.Kept()); kept != o.Kept() {
			t.Errorf("--%s: a bug file keeps it: %v, Kept: %v", o.Name, kept, o.Kept())
		}
		was, is := values(defaults), values(c)
		n := 0
		for f := range was {
			if !reflect.DeepEqual(was[f], is[f]) {
				changed[f] = true
				n++
			}
		}
		want := 1
		switch o.Name {
		case "pp":
			want = 3 // the kinds, their places, and that landgo doesn't choose them
		case "fail-on":
			want = 2 // one for each word
		}
		if n != want {
			t.Errorf("--%s %s changes %d fields, want %d", o.Name, sample, n, want)
		}
	}
	for f := range values(Config{}) {
		if !changed[f] {
			t.Errorf("no option changes Config.%s", f)
		}
	}
}

// values are the fields of a configuration's parts.
func values(c Config) map[string]any {
	all := map[string]any{}
	v := reflect.ValueOf(c)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			all[f.Name] = v.FieldByIndex(f.Index).Interface()
		}
	}
	return all
}

func TestWordsAreValues(t *testing.T) {
	for i := range Options {
		o := &Options[i]
		for _, w := range o.Words {
			c := Default()
			if err := o.Apply(&c, w); err != nil {
				t.Errorf("--%s offers %q: %v", o.Name, w, err)
			}
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		option, value string
		kind          result.ErrorKind
		want          string
	}{
		{"pp", "locks", result.UnknownPoint, `did you mean "lock"?`},
		{"pp", "yeild", result.UnknownPoint, `did you mean "yield"?`},
		{"pp", "memory", result.UnknownPoint, `unknown preemption point "memory"`},
		{"pp", "", result.UnknownPoint, "empty"},
		{"pp", "lock,", result.UnknownPoint, "empty"},
		{"search", "optimum", result.Usage, "did you mean optimal?"},
		{"search", "bfs", result.Usage, "use one of none, bounded"},
		{"bound", "preempt", result.Usage, "preempt=N"},
		{"bound", "preempt=-1", result.Usage, "preempt=N"},
		{"bound", "delays=2", result.Usage, "delay=N"},
		{"time", "soon", result.Usage, "want a duration"},
		{"time", "-5s", result.Usage, "want a duration"},
		{"memory", "lots", result.Usage, "want a number of bytes"},
		{"memory", "99999999T", result.Usage, "too large"},
		{"max-executions", "many", result.Usage, "want a number"},
		{"step-budget", "0", result.Usage, "1 or more"},
		{"max-threads", "70000", result.Usage, "at most 65536"},
		{"env", "NAME", result.Usage, "NAME=VALUE"},
		{"env", "=x", result.Usage, "NAME=VALUE"},
		{"file", ":x", result.Usage, "HOST"},
		{"file", "", result.Usage, "HOST"},
		{"stdin", "", result.Usage, "file's name"},
		{"within", "", result.Usage, "function's name"},
		{"without", "f g", result.Usage, "function's name"},
		{"timeouts", "never", result.Usage, "want last, any"},
		{"locks", "teste", result.Usage, "did you mean tested?"},
		{"locks", "tested=", result.Usage, "names of functions"},
		{"observe", "stderr", result.Usage, "want stdout"},
		{"json", "maybe", result.Usage, "true or false"},
		{"format", "jsn", result.Usage, "did you mean json?"},
		{"points", "all", result.Usage, "want a number"},
		{"points", "-1", result.Usage, "want a number"},
		{"points", "NaN", result.Usage, "want a number"},
	} {
		cfg := Default()
		err := OptionNamed(c.option).Apply(&cfg, c.value)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--"+c.option) {
			t.Errorf("--%s %q: %v; want one of kind %s that names the option, with %q", c.option, c.value, err, c.kind, c.want)
		}
	}
}

// TestOutputNames: what is written goes to a file with a name; "-" is none.
func TestOutputNames(t *testing.T) {
	for _, name := range []string{"out", "html", "coverage-out", "checkpoint", "snapshot"} {
		c := Default()
		o := OptionNamed(name)
		if err := o.Apply(&c, "-"); err == nil {
			t.Errorf("--%s - is taken", name)
		}
		if err := o.Apply(&c, "./-"); err != nil {
			t.Errorf("--%s ./-: %v", name, err)
		}
	}
}
