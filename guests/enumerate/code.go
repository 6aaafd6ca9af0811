package enumerate

// opcode is an instruction of the flat code.
type opcode uint8

const (
	// Private: no event.
	opSet opcode = iota
	opJump
	opUnless // jump unless cond
	opLoopHead

	// Events.
	opLoad
	opStore
	opFetchAdd
	opExchange
	opCAS
	opLock
	opReacquire
	opTryLock
	opUnlock
	opDestroy
	opCondWait
	opSignal
	opBroadcast
	opDown
	opUp
	opReadLock
	opWriteLock
	opReadUnlock
	opWriteUnlock
	opArrive
	opLeave
	opOnceBegin
	opOnceEnd
	opCreate
	opJoin
	opYield
	opExit
	opEnd
)

// instr is one instruction; which fields mean something depends on kind.
type instr struct {
	kind    opcode
	dst     int
	a, b, c Value
	cond    Cond
	to      int
	bug     Kind
	message string
}

// assembler turns statements into flat code.
type assembler struct {
	code   []instr
	breaks []int // jumps out of the innermost loop
}

func (a *assembler) emit(i instr) int {
	a.code = append(a.code, i)
	return len(a.code) - 1
}

func (a *assembler) all(s []Stmt) {
	for _, f := range s {
		f(a)
	}
}

// compile gives each thread's code, closed by its end: the process's for main,
// the thread's own for others.
func compile(p *Program) [][]instr {
	code := make([][]instr, len(p.Threads))
	for t, body := range p.Threads {
		var a assembler
		a.all(body)
		if t == 0 {
			a.emit(instr{kind: opEnd})
		} else {
			a.emit(instr{kind: opExit})
		}
		code[t] = a.code
	}
	return code
}
