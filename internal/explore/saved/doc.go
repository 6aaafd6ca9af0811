// Package saved is a run's files to go on from: checkpoints of searches
// and kernels that were booted. Invariant: a file is written whole or not at all, and
// one that doesn't fit what is to go on from it, or is damaged, is refused.
package saved
