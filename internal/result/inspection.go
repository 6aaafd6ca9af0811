package result

import "reflect"

// Inspection describes a guest without running it, or before its first thread.
type Inspection struct {
	// Schema is "landgo/1".
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Guest   Guest  `json:"guest"`
	// Kernel is the system under the guest, and How the reason why landgo
	// thinks so.
	Kernel string `json:"kernel"`
	How    string `json:"how"`
	// Format is the file's: "ELF64 x86-64, static-pie".
	Format string `json:"format"`
	Entry  Frame  `json:"entry"`
	// Libc is "glibc", "musl", "none" or "unknown".
	Libc string `json:"libc"`
	// Symbols and Lines say whether there are any.
	Symbols bool `json:"symbols"`
	Lines   bool `json:"lines"`
	// Functions are those whose meaning landgo knows.
	Functions []Role `json:"functions"`
	// Points are the preemption points, by kind.
	Points []PointPlaces `json:"points"`
	// Trusted lists the parts that are taken as correct.
	Trusted []string `json:"trusted"`
	// Unmodelled lists the places at which a run would end as invalid.
	Unmodelled []Unmodelled `json:"unmodelled"`
}

// Role is a function and its meaning.
type Role struct {
	Meaning  string `json:"meaning"` // lock, unlock, create, malloc, ...
	Function string `json:"function"`
	Address  Addr   `json:"address"`
	Trusted  bool   `json:"trusted"`
}

// PointPlaces says how many places there are for one kind of preemption point.
type PointPlaces struct {
	Name string `json:"name"` // as in --pp
	// Places is the number of places found; -1 where only a run can tell.
	Places int    `json:"places"`
	Note   string `json:"note"`
}

// Unmodelled is something that landgo doesn't model.
type Unmodelled struct {
	What  string `json:"what"`
	Where Frame  `json:"where"`
}

// Finish adds the common fields of every inspection: the schema, landgo's
// version, and empty lists for null ones.
func (i *Inspection) Finish() {
	i.Schema = Schema
	i.Version = Version
	fillLists(reflect.ValueOf(i))
}
