package undo

// Log is a stack of old states, in blocks that never move: a long execution has ten thousand
// steps, and a thread is big. To append to a slice would copy them all again whenever it grows.
type Log[T any] struct {
	blocks []*[logBlock]T
	n      int
}

const logBlock = 64

// Len is how many there are.
func (l *Log[T]) Len() int { return l.n }

// At is the i-th, from 0. It may be there also for i from Len on: what Cut has cut off.
func (l *Log[T]) At(i int) *T { return &l.blocks[uint(i)/logBlock][uint(i)%logBlock] }

// Next adds one, to be written in place. It has what was cut off there.
func (l *Log[T]) Next() *T {
	if l.n == len(l.blocks)*logBlock {
		l.blocks = append(l.blocks, new([logBlock]T))
	}
	l.n++
	return l.At(l.n - 1)
}

// Cut leaves the first n.
func (l *Log[T]) Cut(n int) { l.n = n }
