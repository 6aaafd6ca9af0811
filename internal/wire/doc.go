// Package wire has the messages between the two processes of landgo.
//
// The front (cmd/landgo) has the flags, the files and the reports. The engine
// (cmd/landgo-engine) has the guest. One socket is between them. A message is four
// bytes with its length, little-endian, and one JSON object; descriptors of files
// travel beside it. The engine begins with a Hello. The front sends one Request, and
// perhaps a Cancel later. The engine sends what happens, in order, and one End.
//
// The engine opens no file of the host: it asks the front (File), which opens those
// that the user named and no other.
//
// Where parts of a search are lent, a second socket comes with the request (parts.go).
//
// # The files
//
//	message   all messages; plain: values in them, with nothing lost
//	conn      a socket
//	engine    an engine, as its callers have it; serve: the engine's end
//	debugged  its end of a debugging
//	parts     parts of a search that are lent
package wire
