package por

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"

	"landgo/internal/host"
	"landgo/internal/trace"
)

// frontier is a queue of steps at which a bound struck, each with the steps that
// lead there from the root. They are explored when the bound is raised (the work
// queue of iterative context bounding, Musuvathi and Qadeer, PLDI 2007,
// Algorithm 1).
//
// Its length grows with the number of executions, so it is made small and kept
// out of memory. A depth-first walk meets the bound at places with nearly the
// same path, so an entry says how many steps it shares with the one before, and
// gives the rest. Beyond frontierMemory it goes to a temporary file without a
// name, so that nothing is left behind whatever happens.
type frontier struct {
	buf     []byte
	file    *os.File
	size    int64 // of the file
	entries int
	shared  int // the walk's path has this many steps of the entry written last

	in   *bufio.Reader
	read int   // entries
	at   int64 // bytes of them
	path []frontierStep
}

type frontierStep struct {
	thread trace.TID
	choice trace.Choice
}

// frontierMemory is how many bytes of a frontier are kept in memory.
const frontierMemory = 1 << 20

// begin begins an entry that shares the given number of steps with the one
// before; n more follow, by add.
func (f *frontier) begin(shared, n int) {
	f.entries++
	f.buf = binary.AppendUvarint(f.buf, uint64(shared))
	f.buf = binary.AppendUvarint(f.buf, uint64(n))
}

func (f *frontier) add(t trace.TID, c trace.Choice) {
	if c == 0 {
		f.buf = binary.AppendUvarint(f.buf, uint64(t)<<1)
		return
	}
	f.buf = binary.AppendUvarint(f.buf, uint64(t)<<1|1)
	f.buf = binary.AppendUvarint(f.buf, uint64(c))
}

// spill moves what was written to the file, if it is much.
func (f *frontier) spill() error {
	if len(f.buf) < frontierMemory {
		return nil
	}
	if f.file == nil {
		file, err := host.Temporary()
		if err != nil {
			return fmt.Errorf("no room for what the next bound starts from (TMPDIR says where it goes): %w", err)
		}
		f.file = file
	}
	n, err := f.file.Write(f.buf)
	f.size += int64(n)
	f.buf = f.buf[:0]
	if err != nil {
		return fmt.Errorf("no room for what the next bound starts from (TMPDIR says where it goes): %w", err)
	}
	return nil
}

// next reads an entry into f.path and returns how many steps it shares with
// the one before, false at the end. Nothing is written from then on.
func (f *frontier) next() (shared int, ok bool, err error) {
	if f.read == f.entries {
		return 0, false, nil
	}
	if f.in == nil {
		f.in = bufio.NewReaderSize(f.from(f.at), 1<<16)
	}
	f.read++
	number := func() uint64 {
		v, e := binary.ReadUvarint(f.in)
		err = errors.Join(err, e)
		f.at += int64(bits.Len64(v|1)+6) / 7
		return v
	}
	shared = int(number())
	f.path = f.path[:min(shared, len(f.path))]
	for n := number(); n > 0 && err == nil; n-- {
		v := number()
		step := frontierStep{thread: trace.TID(v >> 1)}
		if v&1 != 0 {
			step.choice = trace.Choice(number())
		}
		f.path = append(f.path, step)
	}
	if err != nil {
		return 0, false, fmt.Errorf("the work for the next bound can't be read back: %w", err)
	}
	return shared, true, nil
}

// from reads the bytes written from a place on.
func (f *frontier) from(at int64) io.Reader {
	if at >= f.size {
		return bytes.NewReader(f.buf[at-f.size:])
	}
	return io.MultiReader(io.NewSectionReader(f.file, at, f.size-at), bytes.NewReader(f.buf))
}

// left is the bytes not read yet.
func (f *frontier) left() ([]byte, error) { return io.ReadAll(f.from(f.at)) }

// chunk is entries of a frontier: the steps of each that it doesn't share with
// the one before, end to end.
type chunk struct {
	steps  []frontierStep
	shared []int // by entry
	ends   []int // by entry, in steps
}

// chunk reads the next entries, so many that they have chunkSteps steps: nil if there are none.
func (f *frontier) chunk() (*chunk, error) {
	c := &chunk{}
	var last []frontierStep
	for len(c.steps) < chunkSteps {
		_, ok, err := f.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		k := 0
		for k < min(len(last), len(f.path)) && last[k] == f.path[k] {
			k++
		}
		last = append(last[:k], f.path[k:]...)
		c.steps = append(c.steps, f.path[k:]...)
		c.shared, c.ends = append(c.shared, k), append(c.ends, len(c.steps))
	}
	if len(c.ends) == 0 {
		return nil, nil
	}
	return c, nil
}

// tree is a chunk as a tree of steps from the root, of branches of p.
func (c *chunk) tree(p *pool) (tree *branch) {
	var way []*branch
	at := 0
	for e, end := range c.ends {
		way = way[:c.shared[e]]
		for ; at < end; at++ {
			b := p.named(c.steps[at].thread, c.steps[at].choice)
			b.again = at+1 < end
			list := &tree
			if len(way) > 0 {
				list = &way[len(way)-1].kids
			}
			add(list, b)
			way = append(way, b)
		}
	}
	return tree
}

// append adds all of g's entries. None of them was read. Preconditions: nor was any
// of f's.
func (f *frontier) append(g *frontier) error {
	if g.file != nil {
		in := io.NewSectionReader(g.file, 0, g.size)
		for in.Size() > 0 {
			at := len(f.buf)
			f.buf = append(f.buf, make([]byte, frontierMemory)...)
			n, err := in.Read(f.buf[at:])
			f.buf = f.buf[:at+n]
			if err == io.EOF {
				break
			} else if err != nil {
				return fmt.Errorf("the work for the next bound can't be read back: %w", err)
			}
			if err := f.spill(); err != nil {
				return err
			}
		}
	}
	f.buf = append(f.buf, g.buf...)
	f.entries += g.entries
	f.shared = 0
	return f.spill()
}

// drop gives the file back.
func (f *frontier) drop() {
	if f.file != nil {
		f.file.Close()
	}
	*f = frontier{}
}
