package explore

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"landgo/result"
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

// samples has a value other than the default for each option.
var samples = map[string]string{
	"env": "A=1", "cmdline": "test=lock quiet", "stdin": "in.txt", "file": "a.txt:/etc/a", "pp": "yield,lock,race=main+0x12", "within": "f", "without": "g",
	"smp": "true", "up": "true", "timeouts": "any", "locks": "tested=lock,unlock", "observe": "stdout", "trust": "mutex,cond", "fail-on": "race", "check": "leak", "malloc": "native", "profile": "testdata/profile.yaml",
	"race": "hb", "search": "dpor", "bound": "preempt=2", "keep-going": "true", "jobs": "3", "checkpoint": "c.ckpt", "checkpoint-every": "1m", "resume": "r.ckpt", "self-check": "true", "strict": "true",
	"time": "10m", "memory": "512M", "max-executions": "7", "step-budget": "1000", "max-threads": "5", "max-output": "4K",
	"out": "x.landgo", "source": "src", "snapshot": "boots", "json": "true", "quiet": "true", "native-sync": "true", "all-shared": "true", "no-heap": "true", "processor-time": "true", "sync-only": "true",
}

// TestOptionsCoverConfig: each option changes a field and says its value, and
// each field but the guest, its arguments and what a bug file has in a file's place
// is changed by an option.
func TestOptionsCoverConfig(t *testing.T) {
	changed := map[string]bool{"Guest": true, "Args": true, "GuestNamed": true, "Input": true, "InputLeft": true}
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
		if o.Name == "pp" {
			want = 3 // the kinds, their places, and that landgo doesn't choose them
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

func TestPoints(t *testing.T) {
	for list, want := range map[string]string{
		"yield":             "yield",
		"lock":              "yield,lock",
		"unlock,lock":       "yield,lock,unlock",
		" lock , atomic ":   "yield,lock,atomic",
		"mem":               "mem",
		"yield,lock,mem":    "mem",
		"cli,sti":           "yield,cli,sti",
		"mem,race":          "mem,race",
		"lock,lock,atomic":  "yield,lock,atomic",
		"atomic,unlock,cli": "yield,unlock,atomic,cli",
	} {
		p, err := ParsePoints(list)
		if err != nil || p.String() != want {
			t.Errorf("ParsePoints(%q) = %v, %v; want %s", list, p, err, want)
		}
		if again, err := ParsePoints(p.String()); again != p || err != nil {
			t.Errorf("ParsePoints(%q) doesn't come back: %v, %v", p, again, err)
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
	} {
		cfg := Default()
		err := OptionNamed(c.option).Apply(&cfg, c.value)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--"+c.option) {
			t.Errorf("--%s %q: %v; want one of kind %s that names the option, with %q", c.option, c.value, err, c.kind, c.want)
		}
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
	want := []Rule{{true, "a"}, {false, "b"}, {true, "c"}}
	if !reflect.DeepEqual(c.Rules, want) {
		t.Errorf("got %v, want %v", c.Rules, want)
	}
	if got, want := c.Granularity(), "yield,lock without a within b without c"; got != want {
		t.Errorf("granularity %q, want %q", got, want)
	}
	if got, want := c.RunCommand(), "landgo run --pp yield,lock --without a --within b --without c guest.elf"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "100": 100, "4K": 4096, "512M": 512 << 20, "2GiB": 2 << 30, "1tb": 1 << 40, "3 M": 3 << 20} {
		if got, err := ParseSize(text); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
		if again, err := ParseSize(want.String()); again != want || err != nil {
			t.Errorf("ParseSize(%q) doesn't come back: %d, %v", want, again, err)
		}
	}
	for text, want := range map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, "90s": 90 * time.Second, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute,
		"2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "1.5s": 1500 * time.Millisecond, "250ms": 250 * time.Millisecond,
	} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := ParseDuration(formatDuration(want)); again != want || err != nil {
			t.Errorf("ParseDuration(%q) doesn't come back: %v, %v", formatDuration(want), again, err)
		}
	}
}

// TestBugFileConfig: what a bug file keeps comes back, and nothing else does: no
// limit, and no file of the host.
func TestBugFileConfig(t *testing.T) {
	dir := t.TempDir()
	in, a, large := filepath.Join(dir, "in.txt"), filepath.Join(dir, "a"), filepath.Join(dir, "large")
	for path, text := range map[string]string{in: "input", a: "\x00\xffa", large: strings.Repeat("x", maxKeptInput)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := set(t, "env A=1", "stdin "+in, "file "+a+":/b", "file "+large+":/large", "pp lock", "within f", "without g", "up",
		"timeouts any", "locks tested=l", "step-budget 9", "max-threads 7", "max-output 5K", "search dpor", "time 5s", "json", "quiet", "out o.landgo")
	c.Args = []string{"-n", "two words"}
	f := &result.BugFile{Guest: result.Guest{Path: "guest.elf"}, Config: c.Saved()}
	if strings.Contains(string(f.Config), dir) {
		t.Errorf("the bug file has a path of the host: %s", f.Config)
	}
	got, err := ConfigOf(f)
	if err != nil {
		t.Fatal(err)
	}
	usual := Default()
	want := c
	want.Search, want.Time, want.JSON, want.Quiet, want.Out = "optimal", 0, false, false, ""
	want.StepBudget, want.MaxThreads, want.MaxOutput = usual.StepBudget, usual.MaxThreads, usual.MaxOutput
	want.Stdin, want.Input = "", []byte("input")
	want.Files = []GuestFile{{Guest: "/b", Content: []byte("\x00\xffa")}, {Guest: "/large", Left: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if check := []byte("image"); got.Check(check) != c.Check(check) {
		t.Error("the check depends on what a bug file hasn't got")
	}

	// What the replay is given.
	given := Default()
	if err := got.TakeHost(&given); err == nil || !strings.Contains(err.Error(), "--file HOST:/large") {
		t.Errorf("an input that is missing: %v", err)
	}
	given = set(t, "step-budget 8", "file "+large+":/large", "stdin "+a)
	if err := got.TakeHost(&given); err != nil || got.StepBudget != 8 || got.Stdin != a || got.Input != nil || got.Files[1].Host != large || got.Files[0].Host != "" {
		t.Errorf("%+v, %v", got, err)
	}
	given = set(t, "file "+large+":/other")
	if err := got.TakeHost(&given); err == nil {
		t.Error("a file is taken that the guest wasn't given")
	}
	if got, want := c.ReplayCommand("o.landgo", ""), "landgo replay --file "+large+":/large --step-budget 9 --max-threads 7 --max-output 5K o.landgo"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	for _, text := range []string{`{"pp":"locks"}`, `{"stdin":"/etc/passwd"}`, `{"files":[{"host":"/etc/passwd","guest":5}]}`} {
		f.Config = []byte(text)
		if _, err := ConfigOf(f); !errors.Is(err, result.BadBugFile) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f.Config = []byte(`{"step_budget":1000000000000000000,"max_threads":65536,"max_output":"1T","files":[{"host":"/etc/passwd","guest":"/x"}],
		"profile":{"path":"/etc/passwd","text":"name: x"},"Out":"/tmp/x","Memory":1,"Checkpoint":"/tmp/y","Guest":"/bin/true"}`)
	got, err = ConfigOf(f)
	if err != nil {
		t.Fatal(err)
	}
	want = usual
	want.Deepen, want.Guest = false, "guest.elf"
	want.Files, want.Profile = []GuestFile{{Guest: "/x"}}, &Profile{Path: ".", Text: "name: x"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a hostile file:\ngot  %+v\nwant %+v", got, want)
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
		"pp": func() uint32 { d := c; d.PP = PointYield; return d.Check([]byte("image"), []byte("in"), []byte("a")) }(),
	} {
		if other == check {
			t.Errorf("the check doesn't depend on the %s", name)
		}
	}
}

func TestReplayCommand(t *testing.T) {
	c := set(t, "pp lock", "search none", "keep-going", "env A=it's", "json")
	c.Guest = "my guests/a.elf"
	c.Args = []string{"-n", "3"}
	if got, want := c.ReplayCommand("a b.landgo", "s1:00000000:0@1"), "landgo replay 'a b.landgo'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := `landgo replay --schedule s1:00000000:0@1/2 --env 'A=it'\''s' --pp yield,lock 'my guests/a.elf' -- -n 3`
	if got := c.ReplayCommand("", "s1:00000000:0@1/2"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := c.FinerCommand(), `landgo run --pp mem --env 'A=it'\''s' --search none --keep-going --json 'my guests/a.elf' -- -n 3`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDidYouMean(t *testing.T) {
	names := []string{"search", "self-check", "time", "timeouts"}
	for wrong, want := range map[string]string{
		"serach": "search", "tim": "time", "timeout": "timeouts", "selfcheck": "self-check", "xyz": "", "": "", "kernel": "",
	} {
		got := DidYouMean("%s", wrong, names)
		if want == "" && got != "" || want != "" && got != ", did you mean "+want+"?" {
			t.Errorf("DidYouMean(%q) = %q, want %q", wrong, got, want)
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
		if got := cfg.deepens(); got != c.deepens {
			t.Errorf("%q: deepens %v", c.lines, got)
		}
	}
}
