package bare

// serial is a 16550 that receives only its own bytes, when a kernel tries
// whether it works. Written bytes go out at once, so its transmitter is always
// empty. If its interrupt is on, it comes after each byte.
type serial struct {
	interrupts uint64 // which are on
	format     uint64
	modem      uint64
	scratch    uint64
	divisor    [2]uint64
	empty      uint64 // 1: that the transmitter is empty hasn't been told
	looped     uint64 // the byte that it has sent to itself, if received is 1
	received   uint64
}

const (
	dataRegister = iota
	interruptRegister
	identityRegister // written: the queue's control
	formatRegister
	modemRegister
	lineRegister
	modemStatusRegister
	scratchRegister

	divisorAccess = 0x80 // of format
	onEmpty       = 0x02 // of interrupts
	nothing       = 0x01 // of identity
	isEmpty       = 0x02
	allEmpty      = 0x60 // of the line's status
	hasReceived   = 0x01
	connected     = 0xb0 // of the modem's
	loop          = 0x10 // of what is written to the modem
)

func (b *Board) readSerial(register uint16) uint64 {
	s := &b.serial
	switch register {
	case dataRegister:
		if s.format&divisorAccess != 0 {
			return s.divisor[0]
		}
		b.m.Set(&s.received, 0)
		return s.looped
	case interruptRegister:
		if s.format&divisorAccess != 0 {
			return s.divisor[1]
		}
		return s.interrupts
	case identityRegister:
		if s.empty == 0 || s.interrupts&onEmpty == 0 {
			return nothing
		}
		b.m.Set(&s.empty, 0)
		b.lower(serialLine)
		return isEmpty
	case formatRegister:
		return s.format
	case modemRegister:
		return s.modem
	case lineRegister:
		return allEmpty | hasReceived*s.received
	case modemStatusRegister:
		if m := s.modem; m&loop != 0 { // its own four lines
			return m&2<<3 | m&1<<5 | m&0xc<<4
		}
		return connected
	}
	return s.scratch
}

func (b *Board) writeSerial(register uint16, v uint64) error {
	s := &b.serial
	switch register {
	case dataRegister, interruptRegister:
		if s.format&divisorAccess != 0 {
			b.m.Set(&s.divisor[register], v)
			return nil
		}
		if register == dataRegister && s.modem&loop != 0 {
			b.m.Set(&s.looped, v)
			b.m.Set(&s.received, 1)
			b.m.Set(&s.empty, 1)
		} else if register == dataRegister {
			if err := b.print(byte(v)); err != nil {
				return err
			}
			b.m.Set(&s.empty, 1)
		} else {
			if v&^s.interrupts&onEmpty != 0 {
				b.m.Set(&s.empty, 1)
			}
			b.m.Set(&s.interrupts, v)
		}
		if s.empty != 0 && s.interrupts&onEmpty != 0 {
			b.raise(serialLine)
		} else {
			b.lower(serialLine)
		}
	case formatRegister:
		b.m.Set(&s.format, v)
	case modemRegister:
		b.m.Set(&s.modem, v)
	case scratchRegister:
		b.m.Set(&s.scratch, v)
	}
	return nil
}
