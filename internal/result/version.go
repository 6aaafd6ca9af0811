package result

// Version is landgo's own version. Bug files of another one are refused, because the same
// schedule may mean another interleaving there.
const Version = "0.1.0"
