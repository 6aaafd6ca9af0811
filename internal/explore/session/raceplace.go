package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landgo/internal/image/static"
	"landgo/internal/image/x86"
	"landgo/internal/result"
)

// RacePlaces finds the instructions that Config.Races names, in ascending order.
func (p *Program) RacePlaces() (pcs []uint64, err error) {
	for _, place := range p.Config.Races {
		name, distance, _ := strings.Cut(place, "+")
		pc, notNumber := strconv.ParseUint(name, 0, 64)
		if notNumber != nil {
			f, ok := p.Image.Symbol(name)
			if !ok {
				return nil, &Invalid{Kind: result.NoSuchFunction, Reason: fmt.Sprintf("--pp race=%s: the guest has no function %s", place, name)}
			}
			pc = f.Addr
		}
		if distance != "" {
			d, err := strconv.ParseUint(distance, 0, 64)
			if err != nil {
				return nil, result.Errorf(result.UnknownPoint, "--pp race=%s: %q isn't a number", place, distance)
			}
			pc += d
		}
		if notNumber == nil && p.Platform.Ticks && pc < p.Image.Bias {
			// It is an instruction of the kernel's user programs. What these are shows when they run.
		} else if call, ok := static.CallAt(p.Image.Info, pc); ok {
			pc = call.Hi - 1
		} else if text, n, err := x86.Inst(p.Image.File, p.Image.Bytes(pc, x86.MaxInst), pc); err != nil || n == 0 || text == "" {
			return nil, &Invalid{Kind: result.PointlessPoint, Reason: fmt.Sprintf("--pp race=%s: the guest has no instruction there", place)}
		}
		pcs = append(pcs, pc)
	}
	slices.Sort(pcs)
	return slices.Compact(pcs), nil
}

// PlaceOf names an instruction so that racePlaces finds it.
func (p *Program) PlaceOf(pc uint64) string {
	if f, ok := p.Image.SymbolAt(pc); ok {
		if g, ok := p.Image.Symbol(f.Name); ok && g.Addr <= pc {
			return fmt.Sprintf("%s+%#x", f.Name, pc-g.Addr)
		}
	}
	return fmt.Sprintf("%#x", pc)
}
