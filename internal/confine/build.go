package confine

import "time"

// Build is a command that isn't trusted: the build of a submission. It may run
// programs of the system, and write beneath one folder.
//
// Three processes take part. The front starts the warden, which is landgo again
// (BuildWarden). The warden starts the inner process (BuildInside), which confines
// itself and becomes the shell that runs the command. The warden watches what the
// limits of the kernel don't hold: time, the memory of all processes together, the
// folder's size, the output. It adopts what the command leaves behind, and ends with
// all of it, also when the front dies.
type Build struct {
	Command string
	// Dir is the folder that the command may write beneath, Work the one in it that it
	// starts in.
	Dir, Work string
	// Env is all of its environment, NAME=VALUE.
	Env []string
	// User is the user and group that it runs as, if the front is root's; 0: the front's.
	User int
	// Time is by the clock, without what the command waited for a processor that others
	// had: at most three times as long in all.
	Time time.Duration
	// Memory is in bytes, of all processes together; Disk that of the folder's files;
	// Output that of standard output and error. Kept of it is kept.
	Memory, Disk, Output, Kept uint64
	// Processes and Files are how many there may be, of files beneath the folder.
	Processes, Files int
	Level            Level
}

// BuildEnd is how a build ended.
type BuildEnd struct {
	// Status is the command's exit status, -1 if it was killed.
	Status int
	// Limit is the limit that ended it, in words, or "".
	Limit string
	// Said is the beginning of its output.
	Said string
	// Missing are the layers that aren't there.
	Missing []Missing
	// Err is why the command couldn't be started, or "".
	Err string
}

// The names by which landgo is started as a part of a build, as its first argument.
const (
	BuildWarden = "build-warden"
	BuildInside = "build-inside"
)
