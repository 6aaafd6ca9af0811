package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"landgo/internal/result"
)

// The part of a configuration in a bug file. The file may come from a stranger, so it
// sets no limit and names no file of the machine that replays it. The guest's input is
// in it, up to a size; more comes from the replay's own flags. The schedule's check
// says whether it is the same.

// maxKeptInput bounds what a bug file has of a guest's input, all together.
const maxKeptInput = 1 << 20

// savedConfig is a Config without what is the host's. Its own fields stand before
// those of the same names in Config, in JSON too.
type savedConfig struct {
	Config
	Stdin   *savedInput    `json:"stdin,omitempty"`
	Files   []savedInput   `json:"files,omitempty"`
	Profile *savedProfile  `json:"profile,omitempty"`
	Steps   *ignoredNumber `json:"step_budget,omitempty"`
	Threads *ignoredNumber `json:"max_threads,omitempty"`
	Output  *ignoredNumber `json:"max_output,omitempty"`
	Sysroot *ignoredNumber `json:"sysroot,omitempty"`
	Path    *ignoredNumber `json:"library_path,omitempty"`
}

// savedInput is the guest's input: Content, or the replay's own.
type savedInput struct {
	Guest   string `json:"guest,omitempty"` // its path as the guest sees it; "": standard input
	Content []byte `json:"content,omitempty"`
	Left    bool   `json:"left_out,omitempty"` // it was too large
}

// savedProfile is a profile with a name and no path.
type savedProfile struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// ignoredNumber is a limit, or a folder, in a bug file: it is the replay's to set.
type ignoredNumber struct{}

func (*ignoredNumber) UnmarshalJSON([]byte) error { return nil }

// Saved is the part of the configuration in a bug file.
func (c *Config) Saved() json.RawMessage {
	s := savedConfig{Config: *c}
	room := maxKeptInput
	if c.Stdin != "" || c.Input != nil {
		in := keepInput("", c.Stdin, c.Input, &room)
		s.Stdin = &in
	}
	for _, f := range c.Files {
		s.Files = append(s.Files, keepInput(f.Guest, f.Host, f.Content, &room))
	}
	if c.Profile != nil {
		s.Profile = &savedProfile{Name: filepath.Base(c.Profile.Path), Text: c.Profile.Text}
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain strings and numbers only
	}
	return text
}

// keepInput takes in what a guest reads, if there is room.
func keepInput(guest, host string, content []byte, room *int) savedInput {
	in := savedInput{Guest: guest, Content: content}
	if host != "" {
		var err error
		if in.Content, err = result.ReadFile(host, int64(*room)); err != nil {
			return savedInput{Guest: guest, Left: true}
		}
	}
	*room -= len(in.Content)
	return in
}

// ConfigOf is the configuration that a bug file's bug was found with, within the
// usual limits. TakeHost has the rest.
func ConfigOf(f *result.BugFile) (Config, error) {
	usual := Default()
	usual.Deepen = false
	s := savedConfig{Config: usual}
	if err := json.Unmarshal(f.Config, &s); err != nil {
		return Config{}, result.Errorf(result.BadBugFile, "the bug file's configuration: %w", err)
	}
	c := s.Config
	c.Guest = f.Guest.Path
	if s.Stdin != nil {
		c.Input, c.InputLeft = s.Stdin.Content, s.Stdin.Left
	}
	for _, in := range s.Files {
		c.Files = append(c.Files, GuestFile{Guest: in.Guest, Content: in.Content, Left: in.Left})
	}
	if s.Profile != nil {
		c.Profile = &Profile{Path: filepath.Base(s.Profile.Name), Text: s.Profile.Text}
	}
	return c, nil
}

// TakeHost gives a bug file's configuration what is the replay's own: the limits, how
// the result is shown, and files in the place of those that the guest reads.
func (c *Config) TakeHost(given *Config) error {
	for i := range Options {
		o := &Options[i]
		if o.Kept() && !o.OfHost() || o.Group != GroupLimits && o.Group != GroupOutput {
			continue
		}
		for _, v := range o.Get(given) {
			if err := o.Set(c, v); err != nil {
				return err
			}
		}
	}
	c.Sysroot, c.LibraryPath = given.Sysroot, given.LibraryPath
	if given.Stdin != "" {
		c.Stdin, c.Input, c.InputLeft = given.Stdin, nil, false
	}
	if c.InputLeft {
		return result.Errorf(result.Usage, "the bug file hasn't got what the guest reads from standard input: give --stdin FILE")
	}
	for _, g := range given.Files {
		at := slices.IndexFunc(c.Files, func(f GuestFile) bool { return f.Guest == g.Guest })
		if at < 0 {
			return result.Errorf(result.Usage, "%s: the guest of the bug file was given no %s", g.Host, g.Guest)
		}
		c.Files[at] = g
	}
	for _, f := range c.Files {
		if n, ok := f.Disk(); ok && f.Left {
			return result.Errorf(result.Usage, "the bug file hasn't got what is on %s: give --disk %d:FILE", f.Guest, n)
		}
		if f.Left {
			return result.Errorf(result.Usage, "the bug file hasn't got what the guest reads from %s: give --file HOST:%s", f.Guest, f.Guest)
		}
	}
	return nil
}

// replayFlags are the options that a replay of the configuration's bug file needs
// beside the file.
func (c *Config) replayFlags() (args []string) {
	for i := range Options {
		o := &Options[i]
		if !o.Kept() || !o.OfHost() {
			continue
		}
		values := o.Get(c)
		switch {
		case o.Name == "stdin" || o.Name == "file" || o.Name == "disk":
			values = c.leftOut(o.Name)
		case fmt.Sprint(values) == fmt.Sprint(one(o.Default())):
			continue
		}
		for _, v := range values {
			args = append(args, "--"+o.Name, v)
		}
	}
	return args
}

// leftOut are the values of --stdin, --file or --disk that aren't in a bug file.
func (c *Config) leftOut(option string) (values []string) {
	var s savedConfig
	if err := json.Unmarshal(c.Saved(), &s); err != nil {
		panic(err) // Saved wrote it
	}
	if option == "stdin" {
		if s.Stdin != nil && s.Stdin.Left {
			return one(c.Stdin)
		}
		return nil
	}
	left := Config{}
	for i, f := range c.Files {
		if s.Files[i].Left {
			left.Files = append(left.Files, f)
		}
	}
	return left.filesAsGiven(option == "disk")
}
