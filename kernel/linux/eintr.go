package linux

import "landgo/trace"

// Restarts reports whether a signal's handler was installed with SA_RESTART.
func (k *Kernel) Restarts(sig uint64) bool {
	return sig < numSignals && k.actions[sig].flags&saRestart != 0
}

// OnSignalStack reports whether an address is on a thread's alternate stack.
func (k *Kernel) OnSignalStack(t trace.TID, sp uint64) bool { return k.threads[t].onAltStack(sp) }
