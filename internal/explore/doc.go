// Package explore explores one guest: it hands a session (internal/explore/session) to a search
// of package por (hunt), or to many (deepening). It finds the least interleaving of
// each bug (minimise), has its story told (internal/explore/story), and returns a result.Result.
// A search can be left in a file, and gone on with (internal/explore/saved).
//
// It stands above all packages but report and the command. Invariant: a result
// is a function of the image, the configuration and landgo's version; only
// times differ.
package explore
