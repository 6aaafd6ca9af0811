package unwind

import "landgo/internal/image/fields"

// A row says, for one instruction, how to find the caller's registers. It has
// the canonical frame address (CFA, the value of rsp before the call pushed the
// return address), and a rule for each register.

// Registers by their DWARF numbers on x86-64.
const (
	regRSP   = 7
	regRBP   = 6
	regRIP   = 16
	numRules = 17
)

// numbers32 are those of i386's registers, whose own DWARF numbers are these
// indexes (eax ecx edx ebx esp ebp esi edi eip). An i386 file's numbers are
// translated when they are read, and all other code knows one numbering.
var numbers32 = [...]uint64{0, 2, 1, 3, regRSP, regRBP, 4, 5, regRIP}

// reg reads a register's number; numRules for one that unwinding doesn't follow.
func (r *cfiReader) reg(addrSize int) uint64 {
	n := r.Uleb()
	if addrSize == 4 {
		return number32(n)
	}
	return n
}

func number32(n uint64) uint64 {
	if n < uint64(len(numbers32)) {
		return numbers32[n]
	}
	return numRules
}

type ruleKind uint8

const (
	// ruleSame: the caller's value is still in the register. Also where the
	// file says nothing: so the ABI has it for callee-saved registers, and no
	// caller needs the others.
	ruleSame ruleKind = iota
	ruleUndefined
	ruleOffset     // saved at CFA+offset
	ruleValOffset  // is CFA+offset
	ruleRegister   // is in another register
	ruleExpression // saved at the expression's value
	ruleValExpression
)

type rule struct {
	kind   ruleKind
	offset int64 // or register
	expr   []byte
}

// cfiRow is the state of a frame program.
type cfiRow struct {
	cfaReg    uint64
	cfaOffset int64
	cfaExpr   []byte // if not nil, in place of register and offset
	rules     [numRules]rule
}

// row runs the programs up to pc. Preconditions: d covers pc.
func (d *description) row(pc uint64, section *cfiSection) (cfiRow, error) {
	p := frameProgram{common: d.common, loc: d.lo, pc: pc, section: section}
	if err := p.run(d.common.program); err != nil {
		return p.row, err
	}
	p.initial = p.row
	err := p.run(d.program)
	return p.row, err
}

type frameProgram struct {
	common  *common
	section *cfiSection
	loc, pc uint64
	row     cfiRow
	initial cfiRow // after the CIE's program, for restore
	saved   []cfiRow
}

// Opcodes of DWARF 5 table 7.29; the first three have an operand inside.
const (
	cfaAdvance = 0x40
	cfaOffset  = 0x80
	cfaRestore = 0xc0

	cfaSetLoc          = 0x01
	cfaAdvance1        = 0x02
	cfaAdvance2        = 0x03
	cfaAdvance4        = 0x04
	cfaOffsetExtended  = 0x05
	cfaRestoreExtended = 0x06
	cfaUndefined       = 0x07
	cfaSameValue       = 0x08
	cfaRegister        = 0x09
	cfaRememberState   = 0x0a
	cfaRestoreState    = 0x0b
	cfaDefCFA          = 0x0c
	cfaDefCFARegister  = 0x0d
	cfaDefCFAOffset    = 0x0e
	cfaDefCFAExpr      = 0x0f
	cfaExpression      = 0x10
	cfaOffsetSF        = 0x11
	cfaDefCFASF        = 0x12
	cfaDefCFAOffsetSF  = 0x13
	cfaValOffset       = 0x14
	cfaValOffsetSF     = 0x15
	cfaValExpression   = 0x16
	cfaGNUArgsSize     = 0x2e
)

// run executes a program until its end or until it gets past pc.
func (p *frameProgram) run(program []byte) error {
	r := &cfiReader{fields.Reader{Data: program}, p.section}
	for r.Err == nil && r.Off < len(r.Data) {
		op := r.U8()
		operand := uint64(op & 0x3f)
		reg := operand // of those that have one inside
		if p.common.addrSize == 4 {
			reg = number32(operand)
		}
		var advance uint64
		switch op & 0xc0 {
		case cfaAdvance:
			advance = operand * p.common.codeAlign
		case cfaOffset:
			p.set(reg, rule{kind: ruleOffset, offset: int64(r.Uleb()) * p.common.dataAlign})
		case cfaRestore:
			p.restore(reg)
		default:
			var err error
			if advance, err = p.extended(op, r); err != nil {
				return err
			}
		}
		if p.loc += advance; p.loc > p.pc {
			break
		}
	}
	return r.Err
}

// extended executes the opcodes that have all operands behind them. It returns
// by how much the location advances.
func (p *frameProgram) extended(op byte, r *cfiReader) (uint64, error) {
	c := p.common
	switch op {
	case 0: // nop
	case cfaSetLoc:
		return r.pointer(c.pointerEnc, c.addrSize) - p.loc, nil
	case cfaAdvance1:
		return r.Uint(1) * c.codeAlign, nil
	case cfaAdvance2:
		return r.Uint(2) * c.codeAlign, nil
	case cfaAdvance4:
		return r.Uint(4) * c.codeAlign, nil
	case cfaRememberState:
		const maxSaved = 64
		if len(p.saved) == maxSaved {
			return 0, errCFI
		}
		p.saved = append(p.saved, p.row)
	case cfaRestoreState:
		if len(p.saved) == 0 {
			return 0, errCFI
		}
		p.row = p.saved[len(p.saved)-1]
		p.saved = p.saved[:len(p.saved)-1]
	case cfaGNUArgsSize:
		r.Uleb()
	case cfaDefCFA, cfaDefCFARegister, cfaDefCFAOffset, cfaDefCFASF, cfaDefCFAOffsetSF, cfaDefCFAExpr:
		p.defineCFA(op, r)
	default:
		return 0, p.defineRule(op, r)
	}
	return 0, nil
}

func (p *frameProgram) defineCFA(op byte, r *cfiReader) {
	row := &p.row
	switch op {
	case cfaDefCFA:
		row.cfaReg, row.cfaOffset, row.cfaExpr = r.reg(p.common.addrSize), int64(r.Uleb()), nil
	case cfaDefCFASF:
		row.cfaReg, row.cfaOffset, row.cfaExpr = r.reg(p.common.addrSize), r.Sleb()*p.common.dataAlign, nil
	case cfaDefCFARegister:
		row.cfaReg = r.reg(p.common.addrSize)
	case cfaDefCFAOffset:
		row.cfaOffset = int64(r.Uleb())
	case cfaDefCFAOffsetSF:
		row.cfaOffset = r.Sleb() * p.common.dataAlign
	case cfaDefCFAExpr:
		row.cfaExpr = r.Skip(r.Uleb())
	}
}

func (p *frameProgram) defineRule(op byte, r *cfiReader) error {
	reg := r.reg(p.common.addrSize)
	switch op {
	case cfaOffsetExtended:
		p.set(reg, rule{kind: ruleOffset, offset: int64(r.Uleb()) * p.common.dataAlign})
	case cfaOffsetSF:
		p.set(reg, rule{kind: ruleOffset, offset: r.Sleb() * p.common.dataAlign})
	case cfaValOffset:
		p.set(reg, rule{kind: ruleValOffset, offset: int64(r.Uleb()) * p.common.dataAlign})
	case cfaValOffsetSF:
		p.set(reg, rule{kind: ruleValOffset, offset: r.Sleb() * p.common.dataAlign})
	case cfaRestoreExtended:
		p.restore(reg)
	case cfaUndefined:
		p.set(reg, rule{kind: ruleUndefined})
	case cfaSameValue:
		p.set(reg, rule{kind: ruleSame})
	case cfaRegister:
		p.set(reg, rule{kind: ruleRegister, offset: int64(r.reg(p.common.addrSize))})
	case cfaExpression:
		p.set(reg, rule{kind: ruleExpression, expr: r.Skip(r.Uleb())})
	case cfaValExpression:
		p.set(reg, rule{kind: ruleValExpression, expr: r.Skip(r.Uleb())})
	default:
		return errCFI
	}
	return r.Err
}

// set ignores registers that unwinding doesn't follow (SSE, segments).
func (p *frameProgram) set(reg uint64, r rule) {
	if reg < numRules {
		p.row.rules[reg] = r
	}
}

func (p *frameProgram) restore(reg uint64) {
	if reg < numRules {
		p.row.rules[reg] = p.initial.rules[reg]
	}
}
