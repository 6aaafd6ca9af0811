// Package page draws a failing run as one HTML file: a lane for each thread, time
// downwards, beside the source and the state at each step.
//
// The file asks for nothing from anywhere. Without JavaScript it is a static picture
// with a table; with it, one walks through the steps. rows.go makes the steps of a replay's
// account into rows, fold.go leaves out of a long story, and draw.go makes rows into a
// picture. page.go puts both, the sources and page.js together. All text of
// the guest's is escaped by html/template and encoding/json.
//
// # The files
//
//	page      the whole file, with page.js
//	the rows  rows, fold (a long story: turns of a loop that say the same), woke (which rows wake threads), reduce (edges that tell more)
//	pictures  draw, legend
//	beside    parts (state, waits, lives), stack (where a thread stands), short (names that fit)
package page
