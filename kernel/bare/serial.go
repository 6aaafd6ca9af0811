package bare

// serial is a 16550 that receives only its own bytes, when a kernel tries
// whether it works. Written bytes go out at once, so its transmitter is always
// empty. If its interrupt is on, it comes after each byte.
type serial struct {
	Interrupts uint64 // which are on
	Format     uint64
	Modem      uint64
	Scratch    uint64
	Divisor    [2]uint64
	Empty      flag   // that the transmitter is empty hasn't been told
	Looped     uint64 // the byte that it has sent to itself, if Received
	Received   flag
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
		if s.Format&divisorAccess != 0 {
			return s.Divisor[0]
		}
		b.turn(&s.Received, false)
		return s.Looped
	case interruptRegister:
		if s.Format&divisorAccess != 0 {
			return s.Divisor[1]
		}
		return s.Interrupts
	case identityRegister:
		if !s.Empty.on() || s.Interrupts&onEmpty == 0 {
			return nothing
		}
		b.turn(&s.Empty, false)
		b.lower(serialLine)
		return isEmpty
	case formatRegister:
		return s.Format
	case modemRegister:
		return s.Modem
	case lineRegister:
		return allEmpty | hasReceived*uint64(s.Received)
	case modemStatusRegister:
		if m := s.Modem; m&loop != 0 { // its own four lines
			return m&2<<3 | m&1<<5 | m&0xc<<4
		}
		return connected
	}
	return s.Scratch
}

func (b *Board) writeSerial(register uint16, v uint64) error {
	s := &b.serial
	switch register {
	case dataRegister, interruptRegister:
		if s.Format&divisorAccess != 0 {
			b.m.Set(&s.Divisor[register], v)
			return nil
		}
		if register == dataRegister && s.Modem&loop != 0 {
			b.m.Set(&s.Looped, v)
			b.turn(&s.Received, true)
			b.turn(&s.Empty, true)
		} else if register == dataRegister {
			if err := b.print(byte(v)); err != nil {
				return err
			}
			b.turn(&s.Empty, true)
		} else {
			if v&^s.Interrupts&onEmpty != 0 {
				b.turn(&s.Empty, true)
			}
			b.m.Set(&s.Interrupts, v)
		}
		if s.Empty.on() && s.Interrupts&onEmpty != 0 {
			b.raise(serialLine)
		} else {
			b.lower(serialLine)
		}
	case formatRegister:
		b.m.Set(&s.Format, v)
	case modemRegister:
		b.m.Set(&s.Modem, v)
	case scratchRegister:
		b.m.Set(&s.Scratch, v)
	}
	return nil
}
