package pebbles

import "landgo/kernel"

// table has the calls by vector. Those without a do are part of the interface,
// and are not modelled: landgo runs one task, and a task that asks for another
// ends as invalid, by name.
var table = [256]*row{
	0x41: {name: "fork", plan: planNothing},
	0x42: {name: "exec", args: 2, plan: planNothing},
	0x44: {name: "wait", args: 1, plan: planNothing},
	0x45: {name: "yield", args: 1, plan: planYield, do: doYield},
	0x46: {name: "deschedule", args: 1, plan: planDeschedule, do: doDeschedule},
	0x47: {name: "make_runnable", args: 1, plan: planMakeRunnable, do: doMakeRunnable},
	0x48: {name: "gettid", do: doGettid},
	0x49: {name: "new_pages", args: 2, plan: planNewPages, do: doNewPages},
	0x4a: {name: "remove_pages", args: 1, plan: planRemovePages, do: doRemovePages},
	0x4b: {name: "sleep", args: 1, plan: planSleep, do: doSleep},
	0x4c: {name: "getchar", plan: planGetchar, do: doGetchar},
	0x4d: {name: "readline", args: 2, plan: planReadline, do: doReadline},
	0x4e: {name: "print", args: 2, plan: planPrint, do: doPrint},
	0x4f: {name: "set_term_color", args: 1, do: doSetTermColor},
	0x50: {name: "set_cursor_pos", args: 2, do: doSetCursorPos},
	0x51: {name: "get_cursor_pos", args: 2, plan: planNothing},
	0x52: {name: "thread_fork", plan: planThreadFork, do: doThreadFork},
	0x53: {name: "get_ticks", do: doGetTicks},
	0x54: {name: "misbehave", args: 1, do: doMisbehave},
	0x55: {name: "halt", plan: planEnd, do: doHalt},
	0x57: {name: "task_vanish", args: 1, plan: planEnd, do: doTaskVanish},
	0x59: {name: "set_status", args: 1, plan: planSetStatus, do: doSetStatus},
	0x60: {name: "vanish", plan: planVanish, do: doVanish},
	0x62: {name: "readfile", args: 4, plan: planNothing},
	0x74: {name: "swexn", args: 4, plan: planSwexn, do: doSwexn},
}

// planNothing is the plan of an unmodelled call.
func planNothing(c *call, p *kernel.Plan) {
	why := "landgo runs one task, with the threads of its own library"
	switch c.row.name {
	case "get_cursor_pos":
		why = "landgo has no console with a cursor"
	case "readfile":
		why = "landgo has no files"
	}
	p.Effect, p.Reason = kernel.Invalid, c.row.name+" is not modelled on pebbles: "+why
}

// doMisbehave: the calls that make the real kernel's scheduler nasty change
// nothing here, for every schedule is tried anyway.
func doMisbehave(*call, *kernel.Outcome) int64 { return 0 }
