package heap

// undo is one entry of the log: a word's value before its change.
type undo struct {
	what   change
	family Family // lastBlock
	arena  *Arena
	at     uint64
	old    uint64
}

type change uint8

const (
	lastBlock change = iota // at: address
	freedFlag               // at: number of the block
	arenaNext               // at: number of the part
	arenaFree               // at: size class
	roomLink                // at: number of the room
)

// Mark is a remembered state. Marks nest like a stack.
type Mark struct{ blocks, rooms, log, owned int }

// Mark remembers the present state.
func (h *Heap) Mark() Mark { return Mark{len(h.blocks), len(h.rooms), len(h.log), len(h.owned)} }

// Only the functions below change a Heap's words that go back. Lists grow at their ends besides, and are
// cut there (TestHeapIsKept in internal/arch).

func (h *Heap) setLast(p place, n int32) {
	h.log = append(h.log, undo{what: lastBlock, family: p.family, at: p.addr, old: uint64(h.last[p])})
	h.last[p] = n
}

func (h *Heap) setFreed(n int32, e Event) {
	h.log = append(h.log, undo{what: freedFlag, at: uint64(n)})
	h.blocks[n].Freed, h.blocks[n].Back = true, e
}

func (a *Arena) setNext(part int, addr uint64) {
	h := a.heap
	h.log = append(h.log, undo{what: arenaNext, arena: a, at: uint64(part), old: a.parts[part].next})
	a.parts[part].next = addr
}

func (a *Arena) setFree(class int, r int32) {
	h := a.heap
	h.log = append(h.log, undo{what: arenaFree, arena: a, at: uint64(class), old: uint64(a.free[class])})
	a.free[class] = r
}

func (h *Heap) setLink(r, link int32) {
	h.log = append(h.log, undo{what: roomLink, at: uint64(r), old: uint64(h.rooms[r].link)})
	h.rooms[r].link = link
}

// Rewind comes back to a mark and forgets all later ones.
func (h *Heap) Rewind(m Mark) {
	for i := len(h.log) - 1; i >= m.log; i-- {
		u := &h.log[i]
		switch u.what {
		case lastBlock:
			if p := (place{u.family, u.at}); u.old == 0 {
				delete(h.last, p)
			} else {
				h.last[p] = int32(u.old)
			}
		case freedFlag:
			h.blocks[u.at].Freed, h.blocks[u.at].Back = false, Event{}
			h.enter(int32(u.at))
		case arenaNext:
			u.arena.parts[u.at].next = u.old
		case arenaFree:
			u.arena.free[u.at] = int32(u.old)
		case roomLink:
			h.rooms[u.at].link = int32(u.old)
		}
	}
	for n := m.blocks; n < len(h.blocks); n++ { // they live, now
		h.leave(int32(n))
	}
	h.log = h.log[:m.log]
	h.owned = h.owned[:m.owned]
	h.blocks, h.room, h.rooms = h.blocks[:m.blocks], h.room[:m.blocks], h.rooms[:m.rooms]
}
