package por

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"landgo/por/internal/model"
)

// bufferProgram is a random program of loads, stores, fences, locked instructions and
// locks, over parts of two words.
func bufferProgram(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 22))
	p := &model.Program{Bytes: 24, Mutexes: 1, Standing: true, Buffers: true}
	left, threads := 7, 2+r.IntN(5)/4
	for range threads {
		var code []model.Instr
		put := func(in model.Instr) { code = append(code, in) }
		events, locked := min(2+r.IntN(3), left), false
		for k := range events {
			switch r.IntN(24) {
			case 0:
				put(model.Instr{Code: model.Fence})
			case 1:
				put(cell(r, model.Instr{Code: model.Exchange, R: k, C: 3}))
			case 2:
				put(cell(r, model.Instr{Code: model.CompareEx, R: k, C: int64(r.IntN(2)), D: 4}))
			case 3:
				put(model.Instr{Code: model.AssNe, R: r.IntN(4), A: k, C: 1})
			case 4:
				put(cell(r, model.Instr{Code: model.StoreR, R: r.IntN(4), C: 1}))
			case 5, 6:
				code := model.Lock
				if locked = !locked; !locked {
					code = model.Unlock
				}
				put(model.Instr{Code: code})
			case 7, 8, 9, 10, 11, 12, 13, 14, 15:
				put(cell(r, model.Instr{Code: model.Load, R: k}))
			default:
				put(cell(r, model.Instr{Code: model.Store, C: 1 + int64(r.IntN(2))}))
			}
		}
		left -= events
		p.Threads = append(p.Threads, code)
	}
	return p
}

// partsProgram is a random program of two threads, or three, whose accesses are of a byte to a word, so
// that most loads find their thread's own stores in part.
func partsProgram(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 25))
	p := &model.Program{Bytes: 16, Mutexes: 1, Standing: true, Buffers: true}
	threads := 2 + r.IntN(6)/5
	for range threads {
		var code []model.Instr
		events := 3 + r.IntN(2)
		if threads > 2 {
			events = 2
		}
		for k := range events {
			size := 1 << r.IntN(4)
			in := model.Instr{Code: model.Load, R: k, Size: size, A: r.IntN(9)}
			if r.IntN(3) > 0 {
				in.A = min(in.A, 4) // together, mostly
			}
			switch n := r.IntN(16); {
			case n == 0:
				in = model.Instr{Code: model.Fence}
			case n == 1:
				in.Code, in.C = model.Exchange, 0x0403020100+int64(k)
			case n < 9 && k < events-1 || k == 0:
				in.Code, in.C = model.Store, 0x0101010101010101*int64(1+r.IntN(3))
				in.Size = min(size, 4)
			default:
				in.Size = max(size, 4)
			}
			code = append(code, in)
		}
		p.Threads = append(p.Threads, code)
	}
	return p
}

// countingProgram is one in which threads also change counters whose values they don't use, or only
// compare.
func countingProgram(seed uint64) *model.Program {
	p := bufferProgram(seed)
	r := rand.New(rand.NewPCG(seed, 23))
	for _, code := range p.Threads {
		for k := range code {
			if in := &code[k]; (in.Code == model.Load || in.Code == model.Store) && r.IntN(2) == 0 {
				change := []model.Code{model.Add, model.Add, model.Add, model.Or, model.And, model.Xor, model.AddTest, model.AddTest}[r.IntN(8)]
				*in = model.Instr{Code: change, A: in.A, Size: in.Size, C: 1 + int64(r.IntN(3))}
				if change == model.AddTest {
					in.R, in.C, in.D = 2, 1, int64(r.IntN(4))
				}
			}
		}
	}
	return p
}

// meetingProgram is one in which threads also meet at a barrier, mostly all of them.
func meetingProgram(seed uint64) *model.Program {
	p := countingProgram(seed)
	r := rand.New(rand.NewPCG(seed, 24))
	p.Barriers = []int{len(p.Threads) - r.IntN(5)/4}
	for t, code := range p.Threads {
		if r.IntN(6) > 0 {
			p.Threads[t] = slices.Insert(slices.Clone(code), r.IntN(len(code)+1), model.Instr{Code: model.Barrier})
		}
	}
	return p
}

// cell draws what is accessed: mostly one of two words.
func cell(r *rand.Rand, in model.Instr) model.Instr {
	switch r.IntN(12) {
	case 0:
		in.A, in.Size = 0, 4
	case 1:
		in.A, in.Size = 2, 4
	case 2:
		in.A, in.Size = 4, 8 // across the two
	case 3, 4, 5, 6:
		in.A, in.Size = 8, 8
	default:
		in.A, in.Size = 0, 8
	}
	return in
}

// soakBuffers is how many random programs to run, and the seed of the first: fresh ones, as
// many as LANDGO_SOAK_BUFFERS says, or from LANDGO_SEED on.
func soakBuffers(t *testing.T, usual int) (programs int, first uint64) {
	n, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_BUFFERS"))
	if err != nil {
		return usual, 0
	}
	if first, err = strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err != nil {
		first = rand.Uint64() >> 1
	}
	t.Logf("%d programs from seed %d on", n, first)
	return n, first
}

// fencingProgram is a random program of two or three threads where some fences empty all buffers.
func fencingProgram(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 23))
	p := bufferProgram(seed)
	if put := func(code ...model.Instr) []model.Instr { return code }; seed%2 == 0 { // the shape in which it matters
		st, ld := model.Instr{Code: model.Store, C: 1, Size: 8}, model.Instr{Code: model.Load, Size: 8}
		at := func(in model.Instr, a, r int) model.Instr { in.A, in.R = a, r; return in }
		more := func(k int) model.Instr {
			if r.IntN(2) == 0 {
				return cell(r, model.Instr{Code: model.Store, C: 2})
			}
			return cell(r, model.Instr{Code: model.Load, R: k})
		}
		p.Threads = [][]model.Instr{put(at(st, 0, 0), model.Instr{Code: model.FenceAll}, at(ld, 8, 0), more(1)), put(more(1), at(st, 8, 0), at(ld, 0, 0), more(2))}
		if r.IntN(3) == 0 {
			p.Threads = append(p.Threads, put(more(0), more(1)))
		}
		return p
	}
	put := false
	for _, code := range p.Threads {
		for i := range code {
			switch in := &code[i]; {
			case in.Code == model.Fence || in.Code == model.Exchange || in.Code == model.Load && r.IntN(5) == 0:
				*in, put = model.Instr{Code: model.FenceAll}, true
			}
		}
	}
	if at := r.IntN(len(p.Threads[0])); !put && p.Threads[0][at].Code != model.Lock && p.Threads[0][at].Code != model.Unlock {
		p.Threads[0][at] = model.Instr{Code: model.FenceAll}
	}
	return p
}

// ringProgram has three threads that each store, and load what the next one stores. One empties
// all buffers between. Each may find 0, but then all buffers are never empty at one moment. The
// second thread's store reaches memory after the third has loaded, and the third's after the
// fence.
func ringProgram() *model.Program {
	st := func(a int) model.Instr { return model.Instr{Code: model.Store, A: a, C: 1, Size: 8} }
	ld := func(a int) model.Instr { return model.Instr{Code: model.Load, A: a, Size: 8} }
	return &model.Program{Bytes: 24, Standing: true, Buffers: true,
		Threads: [][]model.Instr{{st(0), {Code: model.FenceAll}, ld(16)}, {st(8), ld(0)}, {st(16), ld(8)}}}
}

type litmusTest struct {
	name             string
	threads          [][]model.Instr
	outcomes, traces int
	sc               int // traces without buffers
}

func (c *litmusTest) program() *model.Program {
	return &model.Program{Bytes: 16, Mutexes: 1, Standing: true, Buffers: true, Threads: c.threads}
}

// litmus are programs of the literature, with the numbers of their outcomes and traces.
var litmus = func() []litmusTest {
	const x, y = 0, 8
	st := func(a int) model.Instr { return model.Instr{Code: model.Store, A: a, C: 1, Size: 8} }
	ld := func(r, a int) model.Instr { return model.Instr{Code: model.Load, R: r, A: a, Size: 8} }
	fence := model.Instr{Code: model.Fence}
	type code = []model.Instr
	return []litmusTest{
		{"store buffering", []code{{st(x), ld(0, y)}, {st(y), ld(0, x)}}, 4, 4, 3},
		{"with fences", []code{{st(x), fence, ld(0, y)}, {st(y), fence, ld(0, x)}}, 3, 3, 3},
		{"with one fence", []code{{st(x), fence, ld(0, y)}, {st(y), ld(0, x)}}, 4, 4, 3},
		{"message passing", []code{{st(x), st(y)}, {ld(0, y), ld(1, x)}}, 3, 3, 3},
		{"with its own reads", []code{{st(x), ld(1, x), ld(0, y)}, {st(y), ld(1, y), ld(0, x)}}, 4, 4, 3},
		{"load buffering", []code{{ld(0, x), st(y)}, {ld(0, y), st(x)}}, 3, 3, 3},
		{"its own store", []code{{st(x), ld(0, x)}, {st(x)}}, 1, 3, 3},
	}
}()
