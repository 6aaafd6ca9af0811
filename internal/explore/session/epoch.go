package session

// Epoch is how much a guest knew of what makes its steps finer: with another
// one, a search at the same points has other steps.
type Epoch struct {
	Lives   int // of the session
	learned uint64
}

func (s *Session) Epoch() Epoch { return Epoch{s.lives, s.Guest.Learned()} }
