package bare

import "encoding/binary"

// The tables in which a PC lists its APICs (Intel's MultiProcessor Specification 1.4). There are
// one processor, and one I/O APIC with the lines of an ISA bus. Where the BIOS has its data, the
// size of the lower memory.

const (
	lowerSizeAt = 0x413   // in KiB
	floatingAt  = 0xf0000 // the pointer to the table, which is behind it
	tableAt     = floatingAt + 16

	processorEntry, busEntry, ioEntry, lineEntry, localLineEntry = 0, 1, 2, 3, 4

	bootProcessor = 3 // on, and the one that begins
	processorSize = 20
	allLocal      = 0xff
)

// multiprocessor writes the tables.
func (b *Board) multiprocessor() error {
	le := binary.LittleEndian
	table := []byte("PCMP\x00\x00\x04\x00LANDGO  PC          ")
	table = append(table, 0, 0, 0, 0, 0, 0, 0, 0) // no table of a vendor's; the number of entries is put in below
	table = le.AppendUint32(table, localAt)
	table = append(table, 0, 0, 0, 0)
	entries := uint16(0)
	add := func(entry ...byte) {
		table = append(table, entry...)
		entries++
	}
	processor := make([]byte, processorSize)
	copy(processor, []byte{processorEntry, localID, localVersion & 0xff, bootProcessor, 0x63, 6})
	le.PutUint32(processor[8:], 1<<9|1) // it has an APIC and floating point
	add(processor...)
	add(busEntry, 0, 'I', 'S', 'A', ' ', ' ', ' ')
	add(le.AppendUint32([]byte{ioEntry, ioID, ioVersion & 0xff, 1}, ioAt)...)
	for line := range byte(16) {
		to := line
		if line == timerLine {
			to = 2
		} else if line == slaveLine {
			continue
		}
		add(lineEntry, 0, 0, 0, 0, line, ioID, to)
	}
	add(localLineEntry, 3, 0, 0, 0, 0, allLocal, 0) // the 8259s
	add(localLineEntry, 1, 0, 0, 0, 0, allLocal, 1)
	le.PutUint16(table[34:], entries)
	le.PutUint16(table[4:], uint16(len(table)))
	table[7] = complement(table)

	floating := le.AppendUint32([]byte("_MP_"), tableAt)
	floating = append(floating, 1, 4, 0, 0, 0, 0, 0, 0)
	floating[10] = complement(floating)
	if err := b.load(floatingAt, append(floating, table...)); err != nil {
		return err
	}
	return b.load(lowerSizeAt, le.AppendUint16(nil, lowerMemory>>10))
}

// complement is the byte that makes the sum of all 0.
func complement(p []byte) (c byte) {
	for _, v := range p {
		c -= v
	}
	return c
}
