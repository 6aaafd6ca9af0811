package session

import (
	"errors"
	"io/fs"

	"landgo/internal/image"
	"landgo/internal/result"
	"landgo/kernel"
	"landgo/scheduler"
)

// imageProblems and gapProblems give the kinds of errors of the packages below
// their places in the table that users see.
var imageProblems = map[image.ErrorKind]result.ErrorKind{
	image.Unreadable:   result.Unreadable,
	image.NotELF:       result.NotELF,
	image.Broken:       result.BrokenELF,
	image.WrongMachine: result.WrongMachine,
	image.NotProgram:   result.NotProgram,
	image.Dynamic:      result.Dynamic,
	image.NoCode:       result.NoCode,
	image.TooLarge:     result.TooLarge,
}

var gapProblems = map[kernel.Gap]result.ErrorKind{
	kernel.GapCall:        result.UnmodelledCall,
	kernel.GapInstruction: result.UnmodelledInstruction,
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
	kernel.GapCode:        result.CodeChanged,
	kernel.GapPaging:      result.NoPaging,
}

// ImageError explains why the guest's file isn't one.
func ImageError(guest string, err error) error {
	var bad *image.Error
	var p *fs.PathError
	switch {
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
