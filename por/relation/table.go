package relation

// table numbers keys of two words from 0 on, by open addressing. Numbers are
// never taken back: a search meets the same granules and objects in every
// execution.
type table struct {
	slots []slot
	n     int
}

type slot struct {
	key  uint64
	tag  uint32
	used int32 // number+1, 0 for a free slot
}

func (t *table) number(key uint64, tag uint32) int32 {
	if t.n*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash(key, tag) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.used == 0 {
			t.n++
			*s = slot{key, tag, int32(t.n)}
		}
		if s.key == key && s.tag == tag {
			return s.used - 1
		}
	}
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(64, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.used == 0 {
			continue
		}
		i := hash(s.key, s.tag) & mask
		for t.slots[i].used != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

func hash(key uint64, tag uint32) uint64 {
	h := (key ^ uint64(tag)<<56) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
