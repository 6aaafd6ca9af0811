// Package abi has the numbers that processors, the System V ABI, PCs and Linux fix, and that
// several packages need. A number of one package only stands there.
//
//	processor  pages, flags, exceptions of x86
//	pc         what a PC has room for
//	sysv       calls and frames of the System V ABI for x86-64
//	linux      errors, clocks, calls of Linux on x86-64
package abi
