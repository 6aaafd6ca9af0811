package grade

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// config is the configuration of an engine for a job.
func (s *Store) config(j *Job) config.Config {
	c := j.Config
	c.Guest, c.GuestNamed = s.File(j.Guest), true
	c.Out, c.Jobs = config.NoFile, 1
	return c
}

// finish makes an engine's result what is kept: its bug becomes a file, and nothing in it
// differs from run to run or from machine to machine.
func (s *Store) finish(j *Job, o *Outcome) (err error) {
	if err := s.keepBug(o.Result, j); err != nil {
		return err
	}
	o.Result, err = s.withoutPaths(o.Result, j)
	return err
}

// keepBug writes the file by which the teacher can replay a bug.
func (s *Store) keepBug(r *result.Result, j *Job) error {
	for _, b := range r.Bugs {
		b.File, b.Replay = "", ""
	}
	b := r.Bug
	if b == nil || b.Schedule == "" {
		return nil
	}
	c := s.config(j)
	own := c.For(&r.Guest, b)
	path := s.path("bugs", j.Key+".landgo")
	os.Remove(path) // of a run that was killed before it kept its result
	if err := result.NewBugFile(r, b, own.Saved()).Write(path); err != nil {
		return err
	}
	b.File = filepath.Join("bugs", j.Key+".landgo")
	b.Replay = own.ReplayCommand(b.File, b.Schedule)
	return nil
}

// withoutPaths is a result without the paths of this machine's folders, and without
// what differs from run to run.
func (s *Store) withoutPaths(r *result.Result, j *Job) (*result.Result, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	clean := strings.ReplaceAll(string(text), inJSON(s.File(j.Guest)), inJSON(j.Name))
	clean = strings.ReplaceAll(clean, inJSON(s.dir+"/"), "")
	var out result.Result
	if err := json.Unmarshal([]byte(clean), &out); err != nil {
		return nil, err
	}
	out.Bug = nil // of Bugs
	out.Seconds, out.SearchSeconds = 0, 0
	out.Finish()
	return &out, nil
}
