package session

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"landgo/internal/image/elffile"
	"landgo/internal/result"
	"landgo/kernel"
	"landgo/scheduler"
)

// imageProblems and gapProblems give the kinds of errors of the packages below
// their places in the table that users see.
var imageProblems = map[elffile.ErrorKind]result.ErrorKind{
	elffile.Unreadable:   result.Unreadable,
	elffile.NotELF:       result.NotELF,
	elffile.Broken:       result.BrokenELF,
	elffile.WrongMachine: result.WrongMachine,
	elffile.NotProgram:   result.NotProgram,
	elffile.Unlinked:     result.Dynamic,
	elffile.NoCode:       result.NoCode,
	elffile.TooLarge:     result.TooLarge,
}

var gapProblems = map[kernel.Gap]result.ErrorKind{
	kernel.GapCall:        result.UnmodelledCall,
	kernel.GapInstruction: result.UnmodelledInstruction,
	kernel.GapOrder:       result.UnmodelledOrder,
	kernel.GapThreads:     result.TooManyThreads,
	kernel.GapMemory:      result.TooMuchMemory,
	kernel.GapOutput:      result.TooMuchOutput,
	kernel.GapInput:       result.OutOfInput,
	kernel.GapLayout:      result.TooLarge,
	kernel.GapArguments:   result.Usage,
	kernel.GapEngine:      result.Diverged,
	kernel.GapTrust:       result.GoneAround,
	kernel.GapDevice:      result.UnmodelledDevice,
	kernel.GapSchedule:    result.OtherScheduler,
	kernel.GapBoot:        result.NotBooted,
	kernel.GapCode:        result.CodeChanged,
	kernel.GapPaging:      result.NoPaging,
	kernel.GapSegment:     result.OtherSegments,
	kernel.GapLibrary:     result.Dynamic,
	kernel.GapStart:       result.NotLoaded,
}

// builders are commands that make a program of a file that isn't one: the program's name
// comes first.
var builders = map[string]string{
	".o": "gcc -g -pthread -o %s %s", ".s": "gcc -g -pthread -o %s %s", ".S": "gcc -g -pthread -o %s %s", ".rs": "rustc -g -o %s %s",
	".zig": "zig build-exe -lc -mcpu x86_64 -femit-bin=%s %s",
}

// ImageError explains why the guest's file isn't one.
func ImageError(guest string, err error) error {
	var bad *elffile.Error
	var p *fs.PathError
	switch {
	case errors.As(err, &bad) && bad.Kind == elffile.NotELF && path.Ext(guest) == ".go":
		return result.Errorf(result.OtherRuntime, "%s: %s", guest, goProgram)
	case errors.As(err, &bad) && (bad.Kind == elffile.NotProgram || bad.Kind == elffile.NotELF) && builders[path.Ext(guest)] != "":
		program := strings.TrimSuffix(guest, path.Ext(guest))
		return result.Errorf(imageProblems[bad.Kind], "%w: "+builders[path.Ext(guest)]+" makes a program of it", err, program, guest)
	case errors.As(err, &bad):
		return result.Errorf(imageProblems[bad.Kind], "%w", err)
	case errors.Is(err, fs.ErrNotExist):
		return result.Errorf(result.NoFile, "%s: no such file", guest)
	case errors.As(err, &p):
		return result.FileError(err)
	}
	return result.Errorf(result.Unreadable, "%w", err)
}

// bootError explains why a kernel can't start the guest: it is invalid, unless
// what it is given is at fault. Whatever has no kind is landgo's own.
func bootError(guest string, err error) error {
	var refused *kernel.Error
	var p *fs.PathError
	switch {
	case errors.As(err, &p):
		return result.FileError(err)
	case !errors.As(err, &refused):
		return err
	}
	kind := gapProblems[refused.Gap]
	if result.Explain(kind).Status == result.ExitInvalid {
		return &Invalid{Kind: kind, Reason: err.Error()}
	}
	return result.Errorf(kind, "%s: %w", guest, err)
}

// tooLong is the problem of what ran beyond landgo's limits.
func tooLong(e *scheduler.BudgetError) result.ErrorKind {
	if e.Steps != 0 {
		return result.NoEnd
	}
	return result.StepTooLong
}
