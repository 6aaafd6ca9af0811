package linux

import (
	"landgo/internal/abi"
	"landgo/kernel/effect"
)

// A flow is one direction of a pipe or of a socket pair: its bytes, in parts. A part is a
// page of a pipe, or what one send put into a socket. Positions count from the beginning
// and only grow. The content is kept by position, so bytes behind the tail don't matter,
// and a state that has gone back is as it was.
//
// All words have one address, the flow's. Those of the bytes have no record of their own:
// each use of them is one of head or tail.
type flow struct {
	head, tail       effect.Word // positions of bytes
	first, last      effect.Word // numbers of parts
	room             effect.Word // parts that a pipe has room for
	readers, writers effect.Word // whether that end is open
	reset            effect.Word // of a socket: the other end was closed with bytes unread
	gone             effect.Word // of a socket: isThere, isClosed or isLost
	used             effect.Word // of a socket: the memory that Linux would count for the parts
	bytes            cells
	ends             cells // of each part, the position of its end
}

// The state of the end that reads a socket's flow, for the end that writes it. The first
// datagram that is sent to a closed socket is refused; behind that the sender is connected
// to none.
const (
	isThere = iota
	isClosed
	isLost
)

const (
	pipePages = 16
	pipePage  = abi.PageSize
	pipeLimit = 256 // pages: /proc/sys/fs/pipe-max-size

	flowBytes = 1 << 21 // more than any flow holds
	flowParts = 1 << 12
)

func newFlow(at uint64) *flow {
	w := effect.At(at, 0)
	return &flow{head: w, tail: w, first: w, last: w, room: w, readers: w, writers: w, reset: w, gone: w, used: w}
}

// open makes it a new one.
func (f *flow) open(log *effect.Log) {
	for _, w := range []*effect.Word{&f.head, &f.tail, &f.first, &f.last, &f.reset, &f.gone, &f.used} {
		log.Init(w, 0)
	}
	log.Init(&f.room, pipePages)
	log.Init(&f.readers, 1)
	log.Init(&f.writers, 1)
}

// append adds a part, or lengthens the last one.
func (f *flow) append(log *effect.Log, p []byte, merge bool) {
	tail, last := log.Get(&f.tail), log.Get(&f.last)
	f.bytes.write(log, tail, flowBytes, p)
	if !merge {
		last++
	}
	f.ends.put(log, (last-1)%flowParts, tail+uint64(len(p)))
	log.Set(&f.tail, tail+uint64(len(p)))
	log.Set(&f.last, last)
}

// parts is how many there are.
func (f *flow) parts(log *effect.Log) uint64 { return log.Get(&f.last) - log.Get(&f.first) }

// end is the position of the end of part n.
func (f *flow) end(n uint64) uint64 { return f.ends.get(n % flowParts) }

// start is that of its beginning: where the part before ends.
func (f *flow) start(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return f.end(n - 1)
}

// peek is up to n bytes from the head on.
func (f *flow) peek(log *effect.Log, n uint64) []byte {
	head := log.Get(&f.head)
	return f.bytes.read(head, flowBytes, min(n, log.Get(&f.tail)-head))
}

// take removes n bytes from the head, and the parts that end there.
func (f *flow) take(log *effect.Log, n uint64) {
	head, first := log.Get(&f.head)+n, log.Get(&f.first)
	for first < log.Get(&f.last) && f.end(first) <= head {
		first++
	}
	log.Set(&f.head, head)
	log.Set(&f.first, first)
}

// inParts is how many of n bytes that were copied count as read, where the reader wants so many. Of a
// part that was copied in part, none does.
func (f *flow) inParts(log *effect.Log, n, wants uint64) (whole uint64) {
	if n == wants {
		return n
	}
	head := log.Get(&f.head)
	for part := log.Get(&f.first); part < log.Get(&f.last) && f.end(part)-head <= n; part++ {
		whole = f.end(part) - head
	}
	return whole
}

// takePart removes the first part.
func (f *flow) takePart(log *effect.Log) {
	first := log.Get(&f.first)
	log.Set(&f.head, f.end(first))
	log.Set(&f.first, first+1)
}

// cells are words by number, which never move: the machine keeps their places to go back.
// They have no record, for their owners have words that say so.
type cells struct{ chunks []*[cellChunk]effect.Word }

const cellChunk = 512

func (b *cells) cell(n uint64) *effect.Word {
	for uint64(len(b.chunks)) <= n/cellChunk {
		b.chunks = append(b.chunks, nil)
	}
	p := &b.chunks[n/cellChunk]
	if *p == nil {
		*p = new([cellChunk]effect.Word)
	}
	return &(*p)[n%cellChunk]
}

func (b *cells) get(n uint64) uint64 {
	if n/cellChunk >= uint64(len(b.chunks)) || b.chunks[n/cellChunk] == nil {
		return 0
	}
	w := &b.chunks[n/cellChunk][n%cellChunk]
	return w.Peek()
}

func (b *cells) put(log *effect.Log, n, v uint64) { log.Init(b.cell(n), v) }

// write and read are of bytes from position at on, in a ring of this many, 0 for no ring.
func (b *cells) write(log *effect.Log, at, ring uint64, p []byte) {
	for len(p) > 0 {
		if ring != 0 {
			at %= ring
		}
		n, shift := min(8-at%8, uint64(len(p))), at%8*8
		w := b.cell(at / 8)
		v := w.Peek()
		for i := range n {
			v = v&^(0xff<<(shift+8*i)) | uint64(p[i])<<(shift+8*i)
		}
		log.Init(w, v)
		at, p = at+n, p[n:]
	}
}

func (b *cells) read(at, ring, n uint64) []byte {
	p := make([]byte, n)
	for i := range p {
		pos := at + uint64(i)
		if ring != 0 {
			pos %= ring
		}
		p[i] = byte(b.get(pos/8) >> (pos % 8 * 8))
	}
	return p
}
