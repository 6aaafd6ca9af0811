// Package host is landgo's way to the files of the machine that it runs on.
//
// The process that runs a guest opens no file itself: it is confined. It asks the
// process in front of it, by the path that the configuration has. There a Keeper opens
// the files that the user named, and no other. Where there is one process only, as in
// most tests, files are opened directly.
//
// # The files
//
//	files      this process's way to files: direct, or asked (of the front)
//	keeper     the front's side; library: which libraries a run may read
//	memory     how much memory a process has; build: which build of landgo this is
package host
