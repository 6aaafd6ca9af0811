package x86

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/trace"
)

// shapes is the table of effects: each opcode's use of its operands, in the
// decoder's order, of the flags, and of registers that it doesn't name.
// Effects.special has the rest.
//
// Source: Intel 64 and IA-32 manual, volume 2. Flags that it calls undefined
// (undefined.go) count as the emulator has them, because guests run there. They
// count as written if it always writes them (mul, shifts, logic), otherwise as
// kept.
var shapes = map[x86asm.Op]shape{
	x86asm.MOV:    {operands: "wr"},
	x86asm.MOVZX:  {operands: "wr"},
	x86asm.MOVSX:  {operands: "wr"},
	x86asm.MOVSXD: {operands: "wr"},
	x86asm.MOVBE:  {operands: "wr"},
	x86asm.MOVNTI: {operands: "wr"},
	x86asm.LEA:    {operands: "wa"},
	x86asm.XCHG:   {operands: "mm"},
	x86asm.BSWAP:  {operands: "m"},
	x86asm.CBW:    {reads: trace.RAX},
	x86asm.CWDE:   {reads: trace.RAX, writes: trace.RAX},
	x86asm.CDQE:   {reads: trace.RAX, writes: trace.RAX},
	x86asm.CWD:    {reads: trace.RAX | trace.RDX},
	x86asm.CDQ:    {reads: trace.RAX, writes: trace.RDX},
	x86asm.CQO:    {reads: trace.RAX, writes: trace.RDX},

	x86asm.ADD:  {operands: "mr", flags: setsFlags},
	x86asm.SUB:  {operands: "mr", flags: setsFlags},
	x86asm.ADC:  {operands: "mr", flags: readsSetsFlags},
	x86asm.SBB:  {operands: "mr", flags: readsSetsFlags},
	x86asm.AND:  {operands: "mr", flags: setsFlags},
	x86asm.OR:   {operands: "mr", flags: setsFlags},
	x86asm.XOR:  {operands: "mr", flags: setsFlags},
	x86asm.CMP:  {operands: "rr", flags: setsFlags},
	x86asm.TEST: {operands: "rr", flags: setsFlags},
	x86asm.NEG:  {operands: "m", flags: setsFlags},
	x86asm.NOT:  {operands: "m"},
	x86asm.INC:  {operands: "m", flags: mixesFlags},
	x86asm.DEC:  {operands: "m", flags: mixesFlags},
	x86asm.MUL:  {operands: "r", flags: setsFlags},
	x86asm.IMUL: {operands: "wrr", flags: setsFlags},
	x86asm.DIV:  {operands: "r", flags: mixesFlags},
	x86asm.IDIV: {operands: "r", flags: mixesFlags},

	x86asm.SHL:    {operands: "mr", flags: setsFlags},
	x86asm.SHR:    {operands: "mr", flags: setsFlags},
	x86asm.SAR:    {operands: "mr", flags: setsFlags},
	x86asm.SHLD:   {operands: "mrr", flags: setsFlags},
	x86asm.SHRD:   {operands: "mrr", flags: setsFlags},
	x86asm.ROL:    {operands: "mr", flags: mixesFlags},
	x86asm.ROR:    {operands: "mr", flags: mixesFlags},
	x86asm.RCL:    {operands: "mr", flags: mixesFlags},
	x86asm.RCR:    {operands: "mr", flags: mixesFlags},
	x86asm.BT:     {operands: "rr", flags: mixesFlags},
	x86asm.BTS:    {operands: "mr", flags: mixesFlags},
	x86asm.BTR:    {operands: "mr", flags: mixesFlags},
	x86asm.BTC:    {operands: "mr", flags: mixesFlags},
	x86asm.BSF:    {operands: "cr", flags: mixesFlags}, // of 0: leaves the first as it was
	x86asm.BSR:    {operands: "cr", flags: mixesFlags},
	x86asm.TZCNT:  {operands: "cr", flags: mixesFlags}, // bsf on old processors
	x86asm.LZCNT:  {operands: "cr", flags: mixesFlags},
	x86asm.POPCNT: {operands: "wr", flags: setsFlags},
	x86asm.CRC32:  {operands: "mr"},

	x86asm.CMPXCHG:    {operands: "cr", flags: setsFlags, reads: trace.RAX},
	x86asm.CMPXCHG8B:  {operands: "m", flags: mixesFlags, reads: trace.RAX | trace.RBX | trace.RCX | trace.RDX},
	x86asm.CMPXCHG16B: {operands: "m", flags: mixesFlags, reads: trace.RAX | trace.RBX | trace.RCX | trace.RDX},
	x86asm.XADD:       {operands: "mm", flags: setsFlags},

	x86asm.PUSH:   {operands: "r", reads: trace.RSP, writes: trace.RSP},
	x86asm.POP:    {operands: "w", reads: trace.RSP, writes: trace.RSP},
	x86asm.PUSHF:  {flags: readsFlags, reads: trace.RSP, writes: trace.RSP},
	x86asm.PUSHFD: {flags: readsFlags, reads: trace.RSP, writes: trace.RSP},
	x86asm.PUSHFQ: {flags: readsFlags, reads: trace.RSP, writes: trace.RSP},
	x86asm.PUSHAD: {reads: trace.RAX | trace.RBX | trace.RCX | trace.RDX | trace.RSI | trace.RDI | trace.RBP | trace.RSP, writes: trace.RSP},
	x86asm.POPAD:  {reads: trace.RSP, writes: trace.RAX | trace.RBX | trace.RCX | trace.RDX | trace.RSI | trace.RDI | trace.RBP | trace.RSP},
	x86asm.LEAVE:  {reads: trace.RBP, writes: trace.RSP | trace.RBP},
	x86asm.CALL:   {operands: "r", reads: trace.RSP, writes: trace.RSP},
	x86asm.RET:    {operands: "r", reads: trace.RSP, writes: trace.RSP},
	x86asm.JMP:    {operands: "r"},
	x86asm.JRCXZ:  {operands: "r", reads: trace.RCX},
	x86asm.JECXZ:  {operands: "r", reads: trace.RCX},
	x86asm.JCXZ:   {operands: "r", reads: trace.RCX},
	x86asm.LOOP:   {operands: "r", reads: trace.RCX, writes: trace.RCX},
	x86asm.LOOPE:  {operands: "r", flags: readsFlags, reads: trace.RCX, writes: trace.RCX},
	x86asm.LOOPNE: {operands: "r", flags: readsFlags, reads: trace.RCX, writes: trace.RCX},
	x86asm.CLC:    {flags: mixesFlags},
	x86asm.STC:    {flags: mixesFlags},
	x86asm.CMC:    {flags: mixesFlags},

	x86asm.NOP:         {operands: "--"},
	x86asm.PAUSE:       {},
	x86asm.LFENCE:      {},
	x86asm.MFENCE:      {},
	x86asm.SFENCE:      {},
	x86asm.PREFETCHNTA: {operands: "-"},
	x86asm.PREFETCHT0:  {operands: "-"},
	x86asm.PREFETCHT1:  {operands: "-"},
	x86asm.PREFETCHT2:  {operands: "-"},
	x86asm.PREFETCHW:   {operands: "-"},
	x86asm.CPUID:       {reads: trace.RAX | trace.RCX, writes: trace.RAX | trace.RBX | trace.RCX | trace.RDX},
}

// isString has the string instructions: rsi and rdi move on, rcx counts.
var isString = map[x86asm.Op]bool{}

func init() {
	for _, f := range []struct {
		ops []x86asm.Op
		s   shape
	}{
		{[]x86asm.Op{x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ},
			shape{operands: "wr", reads: trace.RSI | trace.RDI, writes: trace.RSI | trace.RDI}},
		{[]x86asm.Op{x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ},
			shape{operands: "wr", reads: trace.RDI, writes: trace.RDI}},
		{[]x86asm.Op{x86asm.LODSB, x86asm.LODSW, x86asm.LODSD, x86asm.LODSQ},
			shape{operands: "wr", reads: trace.RSI, writes: trace.RSI}},
		{[]x86asm.Op{x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ},
			shape{operands: "rr", flags: setsFlags, reads: trace.RDI, writes: trace.RDI}},
		{[]x86asm.Op{x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ},
			shape{operands: "rr", flags: setsFlags, reads: trace.RSI | trace.RDI, writes: trace.RSI | trace.RDI}},
	} {
		for _, op := range f.ops {
			shapes[op], isString[op] = f.s, true
		}
	}
	for _, f := range []struct {
		ops []x86asm.Op
		s   shape
	}{
		{conditionalJumps, shape{operands: "r", flags: readsFlags}},
		{conditionalSets, shape{operands: "w", flags: readsFlags}},
		{conditionalMoves, shape{operands: "mr", flags: readsFlags}},
		{vectorMoves, shape{operands: "wrr"}},
		{vectorCompares, shape{operands: "rr", flags: setsFlags}},
	} {
		for _, op := range f.ops {
			shapes[op] = f.s
		}
	}
}

var conditionalJumps = []x86asm.Op{
	x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG, x86asm.JGE, x86asm.JL,
	x86asm.JLE, x86asm.JNE, x86asm.JNO, x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JS,
}

var conditionalSets = []x86asm.Op{
	x86asm.SETA, x86asm.SETAE, x86asm.SETB, x86asm.SETBE, x86asm.SETE, x86asm.SETG, x86asm.SETGE, x86asm.SETL,
	x86asm.SETLE, x86asm.SETNE, x86asm.SETNO, x86asm.SETNP, x86asm.SETNS, x86asm.SETO, x86asm.SETP, x86asm.SETS,
}

var conditionalMoves = []x86asm.Op{
	x86asm.CMOVA, x86asm.CMOVAE, x86asm.CMOVB, x86asm.CMOVBE, x86asm.CMOVE, x86asm.CMOVG, x86asm.CMOVGE, x86asm.CMOVL,
	x86asm.CMOVLE, x86asm.CMOVNE, x86asm.CMOVNO, x86asm.CMOVNP, x86asm.CMOVNS, x86asm.CMOVO, x86asm.CMOVP, x86asm.CMOVS,
}

// vectorMoves move, combine and convert; a general register among their
// operands is read or replaced as a whole. Effects.Vector stands for all SSE
// registers, so the table needn't have them.
var vectorMoves = []x86asm.Op{
	x86asm.MOVAPS, x86asm.MOVAPD, x86asm.MOVUPS, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU,
	x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVD, x86asm.MOVQ, x86asm.MOVLPS, x86asm.MOVHPS, x86asm.MOVLPD, x86asm.MOVHPD,
	x86asm.MOVHLPS, x86asm.MOVLHPS, x86asm.PMOVMSKB, x86asm.MOVMSKPS, x86asm.MOVMSKPD,
	x86asm.PXOR, x86asm.XORPS, x86asm.XORPD, x86asm.POR, x86asm.PAND, x86asm.PANDN, x86asm.ANDPS, x86asm.ANDPD, x86asm.ORPS,
	x86asm.PCMPEQB, x86asm.PCMPEQW, x86asm.PCMPEQD, x86asm.PMINUB, x86asm.PSUBB, x86asm.PADDB, x86asm.PADDD, x86asm.PADDQ, x86asm.PSUBD, x86asm.PSUBQ,
	x86asm.PUNPCKLBW, x86asm.PUNPCKLWD, x86asm.PUNPCKLDQ, x86asm.PUNPCKLQDQ, x86asm.PUNPCKHQDQ,
	x86asm.PSHUFD, x86asm.PSLLDQ, x86asm.PSRLDQ, x86asm.SHUFPS,
	x86asm.ADDSD, x86asm.SUBSD, x86asm.MULSD, x86asm.DIVSD, x86asm.ADDSS, x86asm.SUBSS, x86asm.MULSS, x86asm.DIVSS,
	x86asm.CVTSI2SD, x86asm.CVTSI2SS, x86asm.CVTTSD2SI, x86asm.CVTTSS2SI, x86asm.CVTSD2SS, x86asm.CVTSS2SD,
}

var vectorCompares = []x86asm.Op{x86asm.COMISD, x86asm.COMISS, x86asm.UCOMISD, x86asm.UCOMISS}

// ReadsFlags reports whether an operation depends on an arithmetic flag. (A system call keeps
// them in a register, for the kernel to put them back.)
func ReadsFlags(op x86asm.Op) bool {
	switch op {
	case x86asm.RCL, x86asm.RCR, x86asm.DAA, x86asm.DAS, x86asm.AAA, x86asm.AAS, x86asm.LAHF, x86asm.CMC, x86asm.INTO, x86asm.LOOPE, x86asm.LOOPNE, x86asm.FCMOVB, x86asm.FCMOVBE, x86asm.FCMOVE,
		x86asm.FCMOVNB, x86asm.FCMOVNBE, x86asm.FCMOVNE, x86asm.FCMOVNU, x86asm.FCMOVU, x86asm.PUSHF, x86asm.PUSHFD, x86asm.PUSHFQ:
		return true
	}
	s, ok := shapes[op]
	return ok && (s.flags == readsFlags || s.flags == readsSetsFlags)
}

// ReadsCarry says whether an operation that depends on flags depends on the carry, and on
// others.
func ReadsCarry(op x86asm.Op) (carry, others bool) {
	switch op {
	case x86asm.JE, x86asm.JNE, x86asm.JS, x86asm.JNS, x86asm.JO, x86asm.JNO, x86asm.JP, x86asm.JNP, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE,
		x86asm.SETE, x86asm.SETNE, x86asm.SETS, x86asm.SETNS, x86asm.SETG, x86asm.SETGE, x86asm.SETL, x86asm.SETLE:
		return false, true
	case x86asm.JB, x86asm.JAE, x86asm.SETB, x86asm.SETAE, x86asm.CMOVB, x86asm.CMOVAE, x86asm.ADC, x86asm.SBB,
		x86asm.RCL, x86asm.RCR:
		return true, false
	}
	return true, true
}

// SetsFlags reports whether an instruction sets all arithmetic flags.
func SetsFlags(inst *x86asm.Inst) bool {
	switch inst.Op {
	case x86asm.FCOMI, x86asm.FCOMIP, x86asm.FUCOMI, x86asm.FUCOMIP, x86asm.COMISD, x86asm.COMISS, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.PTEST:
		return true
	}
	s := shapes[inst.Op]
	var e Effects
	if e.use(s.flags); !e.WritesFlags {
		return false
	}
	e.special(inst)
	return e.WritesFlags
}
