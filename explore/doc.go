// Package explore explores one guest: it turns a configuration into a booted
// guest under control (session), hands that to a search of package por (hunt),
// finds the least interleaving of each bug (minimise), replays it to tell its
// story, and puts everything into a result.Result.
//
// It stands above all packages but report and the command. Invariant: a result
// is a function of the image, the configuration and landgo's version; only
// times differ.
package explore
