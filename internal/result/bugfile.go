package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"landgo/internal/host"
	"landgo/internal/trace"
)

// FileFormat names the version of the bug file's form.
const FileFormat = "landgo-bug/1"

// maxBugFile bounds the input of ReadBugFile, against hostile files.
const maxBugFile = 64 << 20

// BugFile is all that a replay needs: a file that a student can send to a
// teacher. Invariant: on disk it is whole or isn't there.
type BugFile struct {
	// Format is "landgo-bug/1".
	Format string `json:"format"`
	// Version is that of the landgo that wrote it.
	Version string `json:"version"`
	Guest   Guest  `json:"guest"`
	// Config is the part of the configuration that a run depends on, as
	// package explore writes it.
	Config  json.RawMessage `json:"config"`
	Kind    trace.BugKind   `json:"kind"`
	Message string          `json:"message"`
	// Minimal is the run's knowledge of the schedule's preemptions; a replay
	// can't tell.
	Minimal  Minimal `json:"minimal,omitempty"`
	Schedule string  `json:"schedule"`
	// Passing is the schedule of the nearest run that passes, if one is known.
	Passing string `json:"passing,omitempty"`
	// Cure is the bug's, if one is known.
	Cure *Cure `json:"cure,omitempty"`
}

// NewBugFile is the file for one bug of a result.
func NewBugFile(r *Result, b *Bug, config json.RawMessage) *BugFile {
	return &BugFile{
		Format:   FileFormat,
		Version:  Version,
		Guest:    r.Guest,
		Config:   config,
		Kind:     b.Kind,
		Message:  b.Message,
		Minimal:  b.Minimal,
		Schedule: b.Schedule,
		Passing:  b.PassingSchedule,
		Cure:     b.Cure,
	}
}

// NewRunFile is the file for a run of a result's guest that a user chose. kind and message
// are those of the bug with which it ends, "" if it ends without one.
func NewRunFile(r *Result, kind, message, schedule string, config json.RawMessage) *BugFile {
	b := Bug{Kind: trace.BugKind(kind), Message: message, Schedule: schedule}
	return NewBugFile(r, &b, config)
}

// ReadBugFile reads a bug file and checks its form. Whether it fits the guest
// is the replay's business.
func ReadBugFile(path string) (*BugFile, error) {
	text, err := ReadFile(path, maxBugFile)
	if err != nil {
		return nil, err
	}
	return parseBugFile(path, text)
}

func parseBugFile(path string, text []byte) (*BugFile, error) {
	var head struct {
		Format  string `json:"format"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, Errorf(BadBugFile, "%s isn't a bug file of landgo's: %w", path, err)
	}
	if head.Format == "" {
		return nil, Errorf(BadBugFile, "%s isn't a bug file of landgo's: it names no format", path)
	}
	if head.Format != FileFormat {
		return nil, Errorf(OtherVersion, "%s has the format %q, this landgo reads %q", path, head.Format, FileFormat)
	}
	if head.Version != Version {
		return nil, Errorf(OtherVersion, "%s was written by landgo %s, this is landgo %s", path, head.Version, Version)
	}
	var file BugFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, Errorf(BadBugFile, "%s: %w", path, err)
	}
	if err := CheckSchedule(file.Schedule); err != nil {
		return nil, Errorf(BadSchedule, "%s: %w", path, err)
	}
	if file.Guest.Path == "" || len(file.Guest.SHA256) != 64 || len(file.Config) == 0 {
		return nil, Errorf(BadBugFile, "%s: the guest or the configuration is missing", path)
	}
	if m := file.Minimal; m != "" && m != Proven && m != BestFound {
		return nil, Errorf(BadBugFile, "%s: minimal is %q", path, m)
	}
	return &file, nil
}

// CheckSchedule says whether a text is a schedule.
func CheckSchedule(text string) error {
	if _, err := trace.ParseSchedule(text); err != nil {
		return Errorf(BadSchedule, "%w", err)
	}
	return nil
}

// Write puts the file at path, whole or not at all: a process that is killed
// while writing leaves the old file or the new one.
func (f *BugFile) Write(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("encode bug file: %w", err)
	}
	if err := host.WriteWhole(path, append(text, '\n')); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// CheckWritable says before a long search whether a bug file could be written
// to path after it. It overwrites nothing but bug files.
func CheckWritable(path string) error {
	if st, err := os.Stat(path); err == nil {
		if st.IsDir() {
			return Errorf(Unwritable, "can't write the bug file %s: it is a directory", path)
		}
		if !st.Mode().IsRegular() {
			return Errorf(Unwritable, "can't write the bug file %s: it isn't a regular file", path)
		}
		if _, err := ReadBugFile(path); err != nil && !errors.Is(err, OtherVersion) && st.Size() > 0 {
			return Errorf(Unwritable, "won't overwrite %s: it exists and isn't a bug file", path)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".landgo-*")
	if err != nil {
		return unwritable(path, err)
	}
	tmp.Close()
	return os.Remove(tmp.Name())
}

func unwritable(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // the temporary file's name says nothing to the user
	}
	return Errorf(Unwritable, "can't write the bug file %s: %w", path, err)
}
