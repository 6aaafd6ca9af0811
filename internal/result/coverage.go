package result

// Coverage is the code that a search's interleavings reached, and the code that none did.
type Coverage struct {
	// Lines is how many lines of the guest's own code there are, and Run how many of them
	// some execution ran.
	Lines int `json:"lines"`
	Run   int `json:"run"`
	// Files are those of the guest's own code that some execution ran lines of.
	Files []CoveredFile `json:"files"`
	// Unused are the other files: no line of theirs was run.
	Unused []string `json:"unused,omitempty"`
	// Carried are functions that landgo carries out itself, so that their lines aren't run.
	// They aren't among Lines.
	Carried []string `json:"carried,omitempty"`
	// Points are the places where another thread could run, by file and line.
	Points []CoveredPoint `json:"points"`
}

// CoveredFile is a file's part of the coverage.
type CoveredFile struct {
	File string `json:"file"`
	// Path is the file's whole path, as the compiler knew it.
	Path  string        `json:"path"`
	Lines []CoveredLine `json:"lines"`
}

// CoveredLine is a line that has code.
type CoveredLine struct {
	Line     int    `json:"line"`
	Function string `json:"function"`
	Run      bool   `json:"run"`
}

// CoveredPoint is a preemption point: a thread that stands there could go on, and
// another one could run before.
type CoveredPoint struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	// Does is the verb for the thread's next step: "reads", "locks".
	Does string `json:"does"`
	// Reached is how many of the search's steps began with a thread there that could go on,
	// and Switched how many of these were another thread's.
	Reached  uint64 `json:"reached"`
	Switched uint64 `json:"switched"`
}

// Missed are the lines of a function that weren't run, in a row.
type Missed struct {
	Function string
	Lines    []int
	// All: none of the function's lines was run.
	All bool
}

// Missed lists a file's lines that weren't run, by function.
func (f *CoveredFile) Missed() (all []Missed) {
	ran := map[string]bool{}
	at := map[string]int{}
	for _, l := range f.Lines {
		ran[l.Function] = ran[l.Function] || l.Run
	}
	for _, l := range f.Lines {
		if l.Run {
			continue
		}
		i, ok := at[l.Function]
		if !ok {
			i = len(all)
			at[l.Function] = i
			all = append(all, Missed{Function: l.Function, All: !ran[l.Function]})
		}
		all[i].Lines = append(all[i].Lines, l.Line)
	}
	return all
}
