package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// set applies options given as "name value" to the defaults.
func set(t *testing.T, options ...string) Config {
	t.Helper()
	c := Default()
	c.Guest = "guest.elf"
	for _, text := range options {
		name, value, ok := strings.Cut(text, " ")
		if !ok {
			value = "true"
		}
		if err := OptionNamed(name).Apply(&c, value); err != nil {
			t.Fatalf("--%s: %v", text, err)
		}
	}
	return c
}

func TestDefaultsAreValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	for i := range Options {
		o := &Options[i]
		for _, v := range o.Get(&c) {
			if err := o.Apply(&c, v); err != nil {
				t.Errorf("--%s refuses its own default: %v", o.Name, err)
			}
		}
	}
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("setting the defaults changes them: %+v", c)
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		options []string
		kind    result.ErrorKind
	}{
		"bound with none":     {[]string{"bound preempt=2", "search none"}, ""},
		"bound with optimal":  {[]string{"bound preempt=2"}, result.UnsoundBound},
		"bound with sleep":    {[]string{"search sleep", "bound preempt=0"}, result.UnsoundBound},
		"no bound":            {[]string{"bound none"}, ""},
		"two files as one":    {[]string{"file a:/x", "file b:/x"}, result.Usage},
		"the same file twice": {[]string{"file a:/x", "file a:/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := set(t, c.options...)
			err := cfg.Validate()
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %q", err, c.kind)
			}
		})
	}
	up := set(t, "up")
	if err := OptionNamed("smp").Apply(&up, "true"); err == nil {
		t.Error("--up --smp accepted")
	}
}

func TestRulesKeepTheirOrder(t *testing.T) {
	c := set(t, "without a", "within b", "without c", "pp lock")
	want := []Rule{{Without: true, Function: "a"}, {Function: "b"}, {Without: true, Function: "c"}}
	if !reflect.DeepEqual(c.Rules, want) {
		t.Errorf("got %v, want %v", c.Rules, want)
	}
	if got, want := c.Granularity(), "yield,lock without a within b without c"; got != want {
		t.Errorf("granularity %q, want %q", got, want)
	}
	if got, want := commandLine("run", &c, "", c.Guest), "landgo run --pp yield,lock --without a --within b --without c guest.elf"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
}

func TestCheck(t *testing.T) {
	c := set(t, "stdin in.txt", "file a:/x")
	check := c.Check([]byte("image"), []byte("in"), []byte("a"))
	same := set(t, "stdin elsewhere.txt", "file b:/x", "search none", "json", "time 4")
	if got := same.Check([]byte("image"), []byte("in"), []byte("a")); got != check {
		t.Error("the check depends on what a run doesn't depend on")
	}
	for name, other := range map[string]uint32{
		"image": c.Check([]byte("imagf"), []byte("in"), []byte("a")),
		"stdin": c.Check([]byte("image"), []byte("on"), []byte("a")),
		"file":  c.Check([]byte("image"), []byte("in"), []byte("b")),
		"cut":   c.Check([]byte("image"), []byte("ina"), []byte("")),
		"argument": func() uint32 {
			d := c
			d.Args = []string{"x"}
			return d.Check([]byte("image"), []byte("in"), []byte("a"))
		}(),
		"pp": func() uint32 {
			d := c
			d.PP = trace.PointYield
			return d.Check([]byte("image"), []byte("in"), []byte("a"))
		}(),
	} {
		if other == check {
			t.Errorf("the check doesn't depend on the %s", name)
		}
	}
}

// TestDeepens: what keeps landgo from choosing its points.
func TestDeepens(t *testing.T) {
	for _, c := range []struct {
		lines   []string
		deepens bool
	}{
		{nil, true},
		{[]string{"max-executions 7"}, true},
		{[]string{"within f"}, true},
		{[]string{"fail-on race"}, true},
		{[]string{"jobs 3"}, true},
		{[]string{"checkpoint file"}, true},
		{[]string{"resume file"}, true},
		{[]string{"race off"}, true},
		{[]string{"race off", "pp mem"}, false},
		{[]string{"checkpoint file", "pp lock"}, false},
		{[]string{"search bpor", "bound preempt=1"}, false},
		{[]string{"search trust"}, false},
		{[]string{"search random:runs=5"}, false},
	} {
		cfg := set(t, c.lines...)
		if got := cfg.Deepens(); got != c.deepens {
			t.Errorf("%q: deepens %v", c.lines, got)
		}
	}
}

// TestObserversAlone: what has to see memory, or both orders of stores, is refused with search
// observers, and nothing else is.
func TestObserversAlone(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"":               func(*Config) {},
		"--fail-on race": func(c *Config) { c.FailOnRace = true },
		"--check leak":   func(c *Config) { c.CheckFor = []string{CheckLeak} },
		"--check uninit": func(c *Config) { c.CheckFor = []string{CheckUninit} },
		"--pp mem":       func(c *Config) { c.PP = trace.PointLock },
		"--model tso":    func(c *Config) { c.Model = ModelTSO },
	} {
		c := Default()
		c.Guest, c.Search, c.PP = "guest", "observers", trace.MemPoints
		set(&c)
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
