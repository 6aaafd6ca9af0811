package course

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/internal/yaml"
)

// Read reads a course's file.
func Read(path string) (*Course, error) {
	text, err := result.ReadFile(path, maxText)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	r := &reader{name: path, looks: true}
	return r.course(dir, text)
}

// Parse reads a course from a text; dir is the folder of its files, which it doesn't look at.
// For tests.
func Parse(path, dir string, text []byte) (*Course, error) {
	r := &reader{name: path}
	return r.course(dir, text)
}

func (r *reader) course(dir string, text []byte) (*Course, error) {
	n, err := r.parse(text)
	if err != nil {
		return nil, err
	}
	c := &Course{Dir: dir, Worth: Worth{Verified: 100 * percent}, Students: Students{SeeReport, SeeVerdict}}
	var tests *yaml.Node
	set := map[string]func(yaml.Node) error{
		"course":   func(n yaml.Node) (err error) { c.Name, err = r.word(n, "course", `"Threads, lab 2"`); return err },
		"build":    func(n yaml.Node) error { return r.build(n, c) },
		"tests":    func(n yaml.Node) error { tests = &n; return nil },
		"worth":    func(n yaml.Node) error { return r.worth(n, &c.Worth) },
		"students": func(n yaml.Node) error { return r.students(n, &c.Students) },
	}
	if err := r.each(n, "a course", set, namesOf(courseKeys)); err != nil {
		return nil, err
	}
	if tests == nil {
		return nil, r.complain(n, "there are no tests: add tests: with a list of them")
	}
	return c, r.tests(*tests, c)
}

// local is a path beneath a folder.
func (r *reader) local(n yaml.Node, what string) (string, error) {
	path, err := r.word(n, what, "lab/test")
	if err == nil && (!filepath.IsLocal(path) || strings.ContainsRune(path, 0)) {
		err = r.complain(n, "%s has to be a path beneath the folder, without .. and without / at its start; got %q", what, path)
	}
	return filepath.Clean(path), err
}

func (r *reader) duration(n yaml.Node, what string, to *time.Duration) error {
	word, err := r.word(n, what, "30s")
	if err != nil {
		return err
	}
	d, err := config.ParseDuration(word)
	if err == nil && d <= 0 {
		err = fmt.Errorf("want more than 0")
	}
	if err != nil {
		return r.complain(n, "%s: %v, got %q", what, err, word)
	}
	*to = d
	return nil
}

func (r *reader) size(n yaml.Node, what string, to *config.Size) error {
	word, err := r.word(n, what, "512M")
	if err != nil {
		return err
	}
	s, err := config.ParseSize(word)
	if err == nil && s == 0 {
		err = fmt.Errorf("want more than 0")
	}
	if err != nil {
		return r.complain(n, "%s: %v, got %q", what, err, word)
	}
	*to = s
	return nil
}

func (r *reader) count(n yaml.Node, what string, to *int) error {
	word, err := r.word(n, what, "64")
	if err != nil {
		return err
	}
	v, err := strconv.Atoi(word)
	if err != nil || v < 1 || v > 1<<20 {
		return r.complain(n, "%s has to be a number from 1 to %d, got %q", what, 1<<20, word)
	}
	*to = v
	return nil
}

func (r *reader) build(n yaml.Node, c *Course) (err error) {
	b := &Build{Time: time.Minute, Memory: 1 << 30, Disk: 256 << 20, Output: 1 << 20, Processes: 64, MaxFiles: 10000}
	c.Build = b
	set := map[string]func(yaml.Node) error{
		"command": func(n yaml.Node) (err error) { b.Command, err = r.word(n, "build.command", "make"); return err },
		"files": func(n yaml.Node) error {
			words, err := r.words(n, "build.files")
			if err != nil {
				return err
			}
			for i, w := range words {
				at := n
				if n.Kind == yaml.List {
					at = n.Items[i]
				}
				if _, err := r.local(yaml.Node{Kind: yaml.Scalar, Text: w, Line: at.Line, Column: at.Column}, "build.files"); err != nil {
					return err
				}
				if err := r.there(at, "build.files", filepath.Join(c.Dir, w)); err != nil {
					return err
				}
				b.Files = append(b.Files, filepath.Clean(w))
			}
			return nil
		},
		"time":      func(n yaml.Node) error { return r.duration(n, "build.time", &b.Time) },
		"memory":    func(n yaml.Node) error { return r.size(n, "build.memory", &b.Memory) },
		"disk":      func(n yaml.Node) error { return r.size(n, "build.disk", &b.Disk) },
		"output":    func(n yaml.Node) error { return r.size(n, "build.output", &b.Output) },
		"processes": func(n yaml.Node) error { return r.count(n, "build.processes", &b.Processes) },
		"max-files": func(n yaml.Node) error { return r.count(n, "build.max-files", &b.MaxFiles) },
	}
	if err := r.each(n, "build", set, namesOf(buildKeys)); err != nil {
		return err
	}
	if b.Command == "" {
		return r.complain(n, "build has no command: add command: make, say, or leave build out if the programs are handed in")
	}
	return nil
}

func (r *reader) tests(n yaml.Node, c *Course) error {
	if n.Kind != yaml.List || len(n.Items) == 0 {
		return r.complain(n, "tests has to be a list with a test in it (- name: ...), this is %s", orEmptyList(n))
	}
	seen := map[string]int{}
	for i, item := range n.Items {
		t, err := r.test(item, fmt.Sprintf("tests[%d]", i), c.Dir)
		if err != nil {
			return err
		}
		if line, ok := seen[t.Name]; ok {
			return r.complain(item, "two tests are called %q, the first on line %d: give this one another name", t.Name, line)
		}
		seen[t.Name] = item.Line
		c.Tests = append(c.Tests, t)
	}
	return nil
}

func orEmptyList(n yaml.Node) string {
	if n.Kind == yaml.List {
		return "an empty one"
	}
	return n.Kind.String()
}

func (r *reader) test(n yaml.Node, what, dir string) (t Test, err error) {
	t.Points = point
	t.Config = config.Default()
	t.Config.Time = time.Minute
	t.Config.Strict = true // a program without threads passes no test
	t.Config.Jobs = 1
	var options *yaml.Node
	set := map[string]func(yaml.Node) error{
		"name": func(n yaml.Node) (err error) { t.Name, err = r.word(n, what+".name", "push-pop"); return err },
		"guest": func(n yaml.Node) (err error) {
			if t.Guest, err = r.local(n, what+".guest"); err == nil && t.Guest == "." {
				err = r.complain(n, "%s.guest has to be a program's path in the built submission, not the folder", what)
			}
			return err
		},
		"args": func(n yaml.Node) (err error) { t.Config.Args, err = r.words(n, what+".args"); return err },
		"stdin": func(n yaml.Node) error {
			path, err := r.local(n, what+".stdin")
			if err != nil {
				return err
			}
			t.Config.Stdin = filepath.Join(dir, path)
			return r.there(n, what+".stdin", t.Config.Stdin)
		},
		"points": func(n yaml.Node) error {
			v, ok := parseThousandths(n.Text, 1e9)
			if n.Kind != yaml.Scalar || !ok {
				return r.complain(n, "%s.points has to be a number of at most three decimals, got %s", what, shown(n))
			}
			t.Points = Points(v)
			return nil
		},
		"hidden":  func(n yaml.Node) error { return r.flag(n, what+".hidden", &t.Hidden) },
		"time":    func(n yaml.Node) error { return r.duration(n, what+".time", &t.Config.Time) },
		"options": func(n yaml.Node) error { options = &n; return nil },
	}
	if err := r.each(n, what, set, namesOf(testKeys)); err != nil {
		return t, err
	}
	switch {
	case t.Name == "":
		return t, r.complain(n, "%s has no name: add name: push-pop, say", what)
	case t.Guest == "":
		return t, r.complain(n, "%s (%s) has no guest: add guest: with the program's path in the built submission", what, t.Name)
	}
	if options != nil {
		if err := r.options(*options, what+".options", dir, &t.Config); err != nil {
			return t, err
		}
	}
	if err := t.Config.Validate(); err != nil {
		return t, r.complain(n, "%s (%s): %v", what, t.Name, err)
	}
	return t, nil
}

// there complains of a file of the course's that isn't there.
func (r *reader) there(n yaml.Node, what, path string) error {
	if _, err := os.Lstat(path); r.looks && errors.Is(err, fs.ErrNotExist) {
		return r.complain(n, "%s: the course's folder has no %s: put it there, or correct its name", what, filepath.Base(path))
	}
	return nil
}

func shown(n yaml.Node) string {
	if n.Kind == yaml.Scalar {
		return strconv.Quote(n.Text)
	}
	return n.Kind.String()
}

func (r *reader) flag(n yaml.Node, what string, to *bool) error {
	word, err := r.oneOf(n, what, []string{"true", "false"})
	*to = word == "true"
	return err
}

// options are those of landgo run. Files that they name are the course's.
func (r *reader) options(n yaml.Node, what, dir string, c *config.Config) error {
	var names []string
	set := map[string]func(yaml.Node) error{}
	for i := range config.Options {
		o := &config.Options[i]
		if !optionTaken(o) {
			continue
		}
		names = append(names, o.Name)
		set[o.Name] = func(n yaml.Node) error {
			values, err := r.words(n, what+"."+o.Name)
			if err != nil {
				return err
			}
			if !o.Repeat && len(values) != 1 {
				values = []string{strings.Join(values, ",")}
			}
			for _, v := range values {
				switch o.Name {
				case "file", "disk", "profile":
					v = beneathCourse(dir, v)
				}
				if err := o.Apply(c, v); err != nil {
					return r.complain(n, "%s: %v", what, err)
				}
			}
			for _, f := range c.Files {
				if f.Host != "" && o.Name == "file" {
					if err := r.there(n, what+".file", f.Host); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	return r.each(n, what, set, names)
}

// beneathCourse is an option's file, beneath the course's folder. A disk's number, and
// the path in the guest, stay.
func beneathCourse(dir, v string) string {
	number, rest, ok := strings.Cut(v, ":")
	if _, err := strconv.Atoi(number); ok && err == nil {
		return number + ":" + beneathCourse(dir, rest)
	}
	host, guest, named := strings.Cut(v, ":")
	if filepath.IsAbs(host) {
		return v
	}
	full := filepath.Join(dir, host)
	if !named {
		return full + ":" + host
	}
	return full + ":" + guest
}

func (r *reader) share(n yaml.Node, what string) (Percent, error) {
	word, err := r.word(n, what, "50%")
	if err != nil {
		return 0, err
	}
	v, ok := parseThousandths(strings.TrimSuffix(word, "%"), 100*percent)
	if !ok {
		return 0, r.complain(n, "%s has to be a share from 0%% to 100%%, got %q", what, word)
	}
	return Percent(v), nil
}

func (r *reader) worth(n yaml.Node, w *Worth) error {
	set := map[string]func(yaml.Node) error{
		"verified": func(n yaml.Node) (err error) { w.Verified, err = r.share(n, "worth.verified"); return err },
		"budget":   func(n yaml.Node) (err error) { w.Budget, err = r.share(n, "worth.budget"); return err },
		"bounded":  func(n yaml.Node) error { return r.bounded(n, w) },
		"bug":      func(n yaml.Node) error { return r.bug(n, w) },
	}
	return r.each(n, "worth", set, namesOf(worthKeys))
}

func (r *reader) bounded(n yaml.Node, w *Worth) error {
	if n.Kind != yaml.Mapping {
		return r.complain(n, "worth.bounded has to have a share for each number of preemptions (0: 10%%), this is %s", n.Kind)
	}
	w.Bounded = map[int]Percent{}
	for _, f := range n.Fields {
		k, err := strconv.Atoi(f.Key.Text)
		if err != nil || k < 0 || k > 1000 {
			return r.complain(f.Key, "worth.bounded: want a number of preemptions, got %q", f.Key.Text)
		}
		if w.Bounded[k], err = r.share(f.Value, "worth.bounded"); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) bug(n yaml.Node, w *Worth) (err error) {
	if n.Kind != yaml.Mapping {
		w.Bug, err = r.share(n, "worth.bug")
		return err
	}
	w.Kinds = map[trace.BugKind]Percent{}
	names := []string{otherKind}
	set := map[string]func(yaml.Node) error{
		otherKind: func(n yaml.Node) (err error) { w.Bug, err = r.share(n, "worth.bug.other"); return err },
	}
	for _, k := range trace.BugKinds {
		names = append(names, string(k))
		set[string(k)] = func(n yaml.Node) (err error) { w.Kinds[k], err = r.share(n, "worth.bug."+string(k)); return err }
	}
	return r.each(n, "worth.bug", set, names)
}

func (r *reader) students(n yaml.Node, s *Students) error {
	see := func(what string, to *See) func(yaml.Node) error {
		return func(n yaml.Node) error {
			word, err := r.oneOf(n, "students."+what, sees)
			*to = See(word)
			return err
		}
	}
	return r.each(n, "students", map[string]func(yaml.Node) error{"visible": see("visible", &s.Visible), "hidden": see("hidden", &s.Hidden)}, namesOf(studentKeys))
}
