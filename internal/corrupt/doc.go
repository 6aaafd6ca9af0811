// Package corrupt makes hostile files of good ones, for tests: not noise, which
// parsers refuse at once, but files that are right but for a few fields. It
// knows the fields of an ELF file, of its debug information, of JSON, of YAML
// and of landgo's own binary forms, and typical wrong values of such fields.
//
// A case is a function of the good file and of its number, so a failure names the
// number and comes again.
//
// # The files
//
//	run     a variant of a good file, by number
//	elf     the fields of an ELF file and its debug information; text: of JSON, YAML and binary forms
//	field   typical wrong values
package corrupt
