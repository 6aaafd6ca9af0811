// Package witness has what the executions of a guest have shown: for certificates, warnings and
// reports. Nothing here decides what runs next, and no rewind takes it back. What executions teach,
// so that points become finer, is in package known.
//
// A System keeps a Record. What one System has seen goes to another one, and into files, as a
// Statement: plain data.
//
// # The files
//
//	record      Record and Statement: kept, taken, heard, added
//	met         Met: the points and events that were reached
//	sights      Sights: places at which memory was touched; the pairs of them that are unexamined
//	longest     Long and Busy: where the longest execution, and the longest step, went
package witness
