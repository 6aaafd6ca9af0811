package trace

import "fmt"

// signals are the names of Linux's signals on x86, from 1.
var signals = [...]string{"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
	"CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"}

// SignalName is a signal of Linux's by its name, or "signal 40" of one without.
func SignalName(signal uint64) string {
	if signal >= 1 && signal <= uint64(len(signals)) {
		return "SIG" + signals[signal-1]
	}
	return fmt.Sprintf("signal %d", signal)
}
