package bare

import (
	"landgo/internal/abi"
	"landgo/kernel"
)

// state is the memory of a board's devices. Its fields are exported so that they
// can be kept (kernel.Encode).
type state struct {
	Output                                []byte
	Pic                                   [2]controller
	Local                                 local
	Io                                    io
	Serial                                serial
	Cmos, Speaker, Typed, Status, Printed uint64
	Ended                                 flag
	Retrace                               uint64
	Disks                                 [abi.MaxDisks / 2]channel
	Written                               [abi.MaxDisks]map[uint64][]byte
}

// Freeze is the state of the devices as bytes, for Thaw.
func (b *Board) Freeze() ([]byte, error) {
	var written [abi.MaxDisks]map[uint64][]byte
	for i, d := range b.drives {
		if d != nil {
			written[i] = d.written
		}
	}
	return kernel.Encode(state{
		b.output[:b.printed], b.pic, b.local, b.io, b.serial, b.cmos, b.speaker, b.typed, b.status, b.printed, b.ended, b.retrace,
		b.disks, written,
	})
}

// Thaw puts such a state back, before anything has run.
func (b *Board) Thaw(p []byte) error {
	var s state
	if err := kernel.Decode(p, &s); err != nil {
		return err
	}
	b.output, b.pic, b.local, b.io, b.serial = s.Output, s.Pic, s.Local, s.Io, s.Serial
	b.cmos, b.speaker, b.typed, b.ended, b.status, b.printed, b.retrace = s.Cmos, s.Speaker, s.Typed, s.Ended, s.Status, s.Printed, s.Retrace
	b.disks = s.Disks
	for i, d := range b.drives {
		if d != nil && s.Written[i] != nil {
			d.written = s.Written[i]
		}
	}
	return nil
}
