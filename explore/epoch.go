package explore

// epoch is how much a guest knew of what makes its steps finer: with another
// one, a search at the same points has other steps.
type epoch struct {
	lives   int // of the session
	learned uint64
}

func (s *Session) epoch() epoch { return epoch{s.lives, s.sys.Learned()} }
