// Package x86 takes instructions apart: their text, their length, and their effects on
// registers and flags. It knows nothing of the program around them, but for the names of
// addresses in a text.
//
// # The files
//
//	decode      an instruction's parts; text: as a reader sees it
//	effect      registers and flags that one reads and sets; effecttable: by opcode
//	undefined   flags that one leaves undefined
//	grown       numbers with a known least value, through instructions
//	weak        stores that are in no order, and strings
//	stack       accesses through the stack segment
package x86
