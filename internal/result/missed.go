package result

import "strings"

// FilesAreGiven is the advice for a program that misses a file.
const FilesAreGiven = "landgo gives a program only the files of --file, and libraries from the system's folders, the program's and those of --library-path"

// MissedFile reports whether a guest wrote that it found no file: what strerror says of ENOENT.
func MissedFile(output string) bool {
	return strings.Contains(output, "No such file or directory")
}
