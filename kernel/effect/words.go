package effect

// The map of the addresses by which words of state are known. All are below WordsEnd, where a
// guest has nothing. (The words of package pebbles, whose guests have 32-bit addresses, are in its
// layout.go; only Allocator is in both maps.)
const (
	Objects     = 0x1000 // linux: pipes and their like, three words for each
	Allocator   = 0x2000 // scheduler/library: what an allocator of the program's own keeps
	Input       = 0x3000 // scheduler/library: what can be read
	OpenFiles   = 0x3100 // linux: from the first open file on
	Actions     = 0x4000 // linux: a signal's action, from number 0 on
	Pending     = 0x4600 // linux: signals, files, the break, output, timers
	Lazy        = 0x4800 // linux: words that count only once they have been read
	Descriptors = 0x5000 // linux: from descriptor 0 on
	Threads     = 0x9000 // linux: some for each

	WordsEnd = 64 << 10

	// Clock is the first of the lazy ones: what time it is. LazyEnd is behind the last.
	Clock   = Lazy
	LazyEnd = Descriptors

	// Step is from a word's address to the next one's: the knowledge of a
	// word's sharing takes two of the machine's granules.
	Step = 16
)
