package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"

	"landgo/internal/explore/config"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// CheckpointFormat names the form of a checkpoint file: one JSON object.
const CheckpointFormat = "landgo-checkpoint/4"

// Checkpoint is a search that another process can continue. It has what is searched, what was
// learned and seen so far, and the search's place.
type Checkpoint struct {
	Format  string `json:"format"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the guest
	Check   uint32 `json:"check"`  // Config.Check
	Search  string `json:"search"`
	Bounds  string `json:"bounds"`
	Going   bool   `json:"keep_going"`
	Race    string `json:"race"`
	Threads int    `json:"threads"`
	Bugs    []Bug  `json:"bugs,omitempty"`

	Knowledge *scheduler.Knowledge `json:"knowledge"`
	Witnessed *witness.Statement   `json:"witnessed"`
	Races     []Race               `json:"races,omitempty"`
	// Triangular is a watch's races so far; of a deepening, each space has its own.
	Triangular []race.Triangle `json:"triangular,omitempty"`
	Stores     []uint64        `json:"stores,omitempty"`
	Outputs    Outputs         `json:"outputs"`             // of one search
	Tree       []byte          `json:"tree,omitempty"`      // por.Options.Save's
	Deepening  *Deepening      `json:"deepening,omitempty"` // has trees of its own
	Sum        string          `json:"sum"`                 // sha256 of the object without it
}

type Bug struct {
	Path        []por.PathStep `json:"path"`
	Preemptions int            `json:"preemptions"`
	// Passed is the key of a bug that the execution goes past, "" where it ends with it.
	Passed string `json:"passed,omitempty"`
}

type Race struct {
	Of        string         `json:"of,omitempty"` // which of a search's detectors
	Candidate race.Candidate `json:"candidate"`
	Path      []por.PathStep `json:"path"`
}

// Digest is the digest of everything but Sum.
func (p Checkpoint) Digest() string {
	p.Sum = ""
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain data
	}
	d := sha256.Sum256(text)
	return hex.EncodeToString(d[:])
}

// Write writes the file, whole or not at all.
func (p *Checkpoint) Write(path string) error {
	p.Sum = p.Digest()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := host.WriteWhole(path, append(text, '\n')); err != nil {
		return result.Errorf(result.Unwritable, "can't write the checkpoint %s: %w", path, err)
	}
	return nil
}

// maxCheckpoint bounds a file: what stateful has seen is in it.
const maxCheckpoint = 1 << 30

// ReadCheckpoint reads a checkpoint file.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	text, err := result.ReadFile(path, maxCheckpoint)
	if err != nil {
		return nil, err
	}
	p := &Checkpoint{}
	err = json.Unmarshal(text, p)
	switch {
	case p.Format != "" && p.Format != CheckpointFormat:
		return nil, result.Errorf(result.OtherVersion, "%s has the format %q, this landgo reads %q", path, p.Format, CheckpointFormat)
	case err != nil || p.Format == "":
		return nil, result.Errorf(result.BadCheckpoint, "%s isn't a checkpoint of landgo's", path)
	case p.Version != result.Version:
		return nil, result.Errorf(result.OtherVersion, "%s was written by landgo %s, this is landgo %s", path, p.Version, result.Version)
	case p.Sum != p.Digest() || p.Knowledge == nil || p.Witnessed == nil:
		return nil, result.Errorf(result.BadCheckpoint, "%s is damaged", path)
	}
	return p, nil
}

// CheckWritable says why a checkpoint can't be written to a path.
func CheckWritable(path string) error {
	st, statErr := host.Stat(path)
	if statErr == nil && !st.Mode.IsRegular() {
		return result.Errorf(result.Unwritable, "can't write the checkpoint %s: it isn't a regular file", path)
	}
	if _, err := ReadCheckpoint(path); err != nil && !errors.Is(err, result.OtherVersion) {
		if statErr == nil && st.Size > 0 {
			return result.Errorf(result.Unwritable, "won't overwrite %s: it exists and isn't a checkpoint", path)
		} else if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			return result.Errorf(result.Unwritable, "can't write the checkpoint %s: %w", path, statErr)
		}
	}
	return nil
}

// Fits says why a checkpoint isn't one of a search with a configuration, of a guest
// with a digest and a check (Config.Check); nil if it is.
func (p *Checkpoint) Fits(cfg *config.Config, sha256 string, check uint32) error {
	path := cfg.Resume
	switch {
	case p.SHA256 != sha256:
		return result.Errorf(result.OtherImage, "%s is a checkpoint of another program: its sha256 is %.12s…, that of %s %.12s…", path, p.SHA256, cfg.Guest, sha256)
	case p.Check != check:
		return result.Errorf(result.OtherConfig, "%s was made with other options or input", path)
	case p.Search != cfg.Search || p.Bounds != cfg.Bounds.String() || p.Going != cfg.KeepGoing || p.Race != cfg.Race:
		return result.Errorf(result.OtherConfig, "%s was made with --search %s, --bound %s, --race %s and keep-going %v", path, p.Search, p.Bounds, p.Race, p.Going)
	case p.Deepening == nil && cfg.Deepens():
		return result.Errorf(result.OtherConfig, "%s is a checkpoint of one search: give the same --pp as then", path)
	case p.Deepening != nil && !cfg.Deepens():
		return result.Errorf(result.OtherConfig, "%s is a checkpoint of a search of many sets of points: it was made without --pp", path)
	case p.Deepening != nil && p.Deepening.CandidatesOnly != cfg.CandidatesOnly:
		return result.Errorf(result.OtherConfig, "%s was made with candidates-only %v", path, p.Deepening.CandidatesOnly)
	case p.Deepening != nil && p.Deepening.SyncOnly != cfg.SyncOnly:
		return result.Errorf(result.OtherConfig, "%s was made with sync-only %v", path, p.Deepening.SyncOnly)
	}
	return nil
}
