package guests

import _ "embed"

// Header is the C header that a kernel includes to tell landgo what its scheduler
// does: "landgo header" prints it.
//
//go:embed kernel/landgo.h
var Header []byte

// LinuxHeader is the C header by which a program on Linux chooses, assumes, and says what it
// is to do: "landgo header --linux" prints it.
//
//go:embed landgo-linux.h
var LinuxHeader []byte
