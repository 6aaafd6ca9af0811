package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landgo/image"
	"landgo/result"
)

// racePlaces finds the instructions that Config.Races names, in ascending order.
func (s *Session) racePlaces() (pcs []uint64, err error) {
	for _, p := range s.cfg.Races {
		name, distance, _ := strings.Cut(p, "+")
		pc, notNumber := strconv.ParseUint(name, 0, 64)
		if notNumber != nil {
			f, ok := s.img.Symbol(name)
			if !ok {
				return nil, &invalid{kind: result.NoSuchFunction, reason: fmt.Sprintf("--pp race=%s: the guest has no function %s", p, name)}
			}
			pc = f.Addr
		}
		if distance != "" {
			d, err := strconv.ParseUint(distance, 0, 64)
			if err != nil {
				return nil, result.Errorf(result.UnknownPoint, "--pp race=%s: %q isn't a number", p, distance)
			}
			pc += d
		}
		if call, ok := s.img.CallAt(pc); ok {
			pc = call.Hi - 1
		} else if text, n, err := s.img.Inst(s.img.Bytes(pc, image.MaxInst), pc); err != nil || n == 0 || text == "" {
			return nil, &invalid{kind: result.PointlessPoint, reason: fmt.Sprintf("--pp race=%s: the guest has no instruction there", p)}
		}
		pcs = append(pcs, pc)
	}
	slices.Sort(pcs)
	return slices.Compact(pcs), nil
}

// placeOf names an instruction so that racePlaces finds it.
func (s *Session) placeOf(pc uint64) string {
	if f, ok := s.img.SymbolAt(pc); ok {
		if g, ok := s.img.Symbol(f.Name); ok && g.Addr <= pc {
			return fmt.Sprintf("%s+%#x", f.Name, pc-g.Addr)
		}
	}
	return fmt.Sprintf("%#x", pc)
}
