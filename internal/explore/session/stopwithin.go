package session

// StopsWithin is that of a session. The machines of kernels are stopped at their
// ticks only: which threads can run there is found by trying, and each try has to end.
func (s *Session) StopsWithin(on bool) {
	s.stops = on
	var stop func() bool
	if on && s.Limits != nil {
		stop = func() bool { return s.Limits.Reached() != "" }
	}
	s.Guest.StopIf(stop)
	if s.Platform.Ticks {
		return
	}
	s.Limits.MayHalt(s.Machine, stop != nil)
	for _, t := range s.twins {
		t.StopsWithin(on)
	}
}
