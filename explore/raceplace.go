package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landgo/image"
	"landgo/result"
)

// A place names an instruction in --pp race=: by its address, or by a function
// and the distance from its start, which is what landgo writes. A + stands
// before a distance and between places; a number after a function's name is its
// distance.

// parsePlaces reads what follows race=.
func parsePlaces(text string) (places []string, err error) {
	bad := func() ([]string, error) {
		return nil, result.Errorf(result.UnknownPoint, "--pp race=%s: want addresses (0x401234) or functions with a distance (main+0x12), with + between", text)
	}
	for _, word := range strings.Split(text, "+") {
		_, notNumber := strconv.ParseUint(word, 0, 64)
		n := len(places)
		switch {
		case word == "" || strings.ContainsAny(word, " \t\n"):
			return bad()
		case notNumber != nil && word[0] >= '0' && word[0] <= '9':
			return bad()
		case notNumber == nil && n > 0 && isFunction(places[n-1]):
			places[n-1] += "+" + word
		default:
			places = append(places, word)
		}
	}
	return places, nil
}

// isFunction: a function's name, without a distance.
func isFunction(place string) bool {
	_, notNumber := strconv.ParseUint(place, 0, 64)
	return notNumber != nil && !strings.Contains(place, "+")
}

// racePlaces finds the instructions that Config.Races names, in ascending order.
func (s *session) racePlaces() (pcs []uint64, err error) {
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
func (s *session) placeOf(pc uint64) string {
	if f, ok := s.img.SymbolAt(pc); ok {
		if g, ok := s.img.Symbol(f.Name); ok && g.Addr <= pc {
			return fmt.Sprintf("%s+%#x", f.Name, pc-g.Addr)
		}
	}
	return fmt.Sprintf("%#x", pc)
}

// pointList is a set of points as --pp takes it.
func pointList(p Points, places []string) string {
	text := p.String()
	if p.Has(PointRace) && len(places) > 0 {
		text += "=" + strings.Join(places, "+")
	}
	return text
}

// PointList is Config.PP with its places, as --pp takes it.
func (c *Config) PointList() string { return pointList(c.PP, c.Races) }
