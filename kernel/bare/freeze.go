package bare

import "landgo/kernel"

// state is the state of a board's devices.
type state struct {
	output                                       []byte
	pic                                          [2]controller
	local                                        local
	io                                           io
	serial                                       serial
	cmos, speaker, typed, ended, status, printed uint64
	retrace                                      uint64
}

// Freeze is the state of the devices as bytes, for Thaw.
func (b *Board) Freeze() ([]byte, error) {
	return kernel.AppendPlain(nil, state{
		b.output[:b.printed], b.pic, b.local, b.io, b.serial, b.cmos, b.speaker, b.typed, b.ended, b.status, b.printed, b.retrace,
	})
}

// Thaw puts such a state back, before anything has run.
func (b *Board) Thaw(p []byte) error {
	var s state
	if _, err := kernel.Plain(p, &s); err != nil {
		return err
	}
	b.output, b.pic, b.local, b.io, b.serial = s.output, s.pic, s.local, s.io, s.serial
	b.cmos, b.speaker, b.typed, b.ended, b.status, b.printed, b.retrace = s.cmos, s.speaker, s.typed, s.ended, s.status, s.printed, s.retrace
	return nil
}
