package guests

import _ "embed"

// Header is the C header that a kernel includes to tell landgo what its scheduler
// does: "landgo header" prints it.
//
//go:embed kernel/landgo.h
var Header []byte
