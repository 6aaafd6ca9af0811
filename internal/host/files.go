package host

import (
	"io/fs"
	"os"
)

// Files is landgo's way to files of the host. Errors are *fs.PathError where a
// file is at fault.
type Files interface {
	// Stat describes a file; a link is followed.
	Stat(path string) (Info, error)
	// Open opens a file for reading.
	Open(path string) (*os.File, error)
	// Create begins a file that will be at path when it is kept, in the place of what
	// is there: never half of it.
	Create(path string) (New, error)
	// Cache is Create in a folder of files that can be made again, for this user only.
	// It makes the folder, and removes the oldest files with the suffix of path, until
	// the others have at most room bytes.
	Cache(path string, room int64) (New, error)
	// Temporary opens a file without a name, for reading and writing.
	Temporary() (*os.File, error)
	// Library opens a shared library, by its path beneath a folder that stands for the
	// system's root; "" is the root itself.
	Library(root, path string) (*os.File, error)
}

// New is a file that isn't there yet.
type New interface {
	File() *os.File
	// Keep puts the file in its place, and on the disk.
	Keep() error
	// Drop leaves nothing of it. After Keep it does nothing.
	Drop()
}

// Info is a description of a file.
type Info struct {
	Size int64
	Mode fs.FileMode
	// Link: the name is a symbolic link's. Own: the file is this user's, and no other
	// may write it. Null: it is the null device.
	Link, Own, Null bool
}

// files is how this process opens files.
var files Files = direct{}

// Through has this process open files by another way than its own. It is called
// once, before any other function.
func Through(f Files) { files = f }

// Stat describes a file; a link is followed.
func Stat(path string) (Info, error) { return files.Stat(path) }

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return files.Open(path) }

// Create begins a file that will be at path when it is kept.
func Create(path string) (New, error) { return files.Create(path) }

// Cache begins a file of a folder of files that can be made again.
func Cache(path string, room int64) (New, error) { return files.Cache(path, room) }

// Temporary opens a file without a name, for reading and writing.
func Temporary() (*os.File, error) { return files.Temporary() }

// Library opens a shared library beneath a root.
func Library(root, path string) (*os.File, error) { return files.Library(root, path) }

// WriteWhole writes a file, whole or not at all.
func WriteWhole(path string, text []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Drop()
	if _, err := f.File().Write(text); err != nil {
		return err
	}
	return f.Keep()
}
