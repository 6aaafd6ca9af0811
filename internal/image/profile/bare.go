package profile

// Kernels that own the machine. One is known by an annotation that it calls
// (guests/kernel/landgo.h), or by the header that multiboot loaders look for. Or
// landgo has a profile for it, or it does what only kernels do.

// Bare is for kernels that own the machine: annotations give their
// functions their meaning, not names.
var Bare = Profile{Name: "bare"}

// TellPrefix begins the names of the annotations.
const TellPrefix = "landgo_"
