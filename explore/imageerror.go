package explore

import (
	"errors"
	"io/fs"
	"strings"

	"landgo/result"
)

// imageError gives an error of package image its place in the table of errors.
func imageError(guest string, err error) error {
	var p *fs.PathError
	if errors.Is(err, fs.ErrNotExist) {
		return result.Errorf(result.NoFile, "%s: no such file", guest)
	}
	if errors.As(err, &p) {
		return result.FileError(err)
	}
	return result.Errorf(imageProblem(err.Error()), "%w", err)
}

func imageProblem(text string) result.ErrorKind {
	for _, k := range []struct {
		part string
		kind result.ErrorKind
	}{
		{"truncated", result.BrokenELF}, {"damaged", result.BrokenELF}, {"overlap", result.BrokenELF},
		{"not an ELF", result.NotELF}, {"empty", result.NotELF}, {"not a regular", result.NotELF},
		{"big-endian", result.WrongMachine}, {"x32", result.WrongMachine}, {"another machine", result.WrongMachine},
		{"relocatable", result.NotProgram}, {"core dump", result.NotProgram}, {"unknown type", result.NotProgram}, {"shared library", result.NotProgram},
		{"dynamically", result.Dynamic}, {"1 GiB", result.TooLarge},
		{"program headers, so", result.NoCode}, {"loadable", result.NoCode}, {"executable segment", result.NoCode},
	} {
		if strings.Contains(text, k.part) {
			return k.kind
		}
	}
	return result.BrokenELF
}
