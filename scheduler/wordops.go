package scheduler

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
)

// wordOps says how instructions change a word, by the code alone. It remembers that.
type wordOps struct {
	in        *present
	adding    map[uint64]bool
	exchanges map[uint64]bool
}

// adds is static.Adds.
func (o *wordOps) adds(pc uint64) bool { return o.remembered(o.adding, pc, static.Adds) }

// swaps is static.Exchanges.
func (o *wordOps) swaps(pc uint64) bool { return o.remembered(o.exchanges, pc, static.Exchanges) }

func (o *wordOps) remembered(known map[uint64]bool, pc uint64, is func(*elffile.File, uint64) bool) bool {
	if _, ok := known[pc]; !ok {
		known[pc] = is(o.in.image.File, pc)
	}
	return known[pc]
}
