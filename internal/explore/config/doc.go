// Package config says what to explore and how. It has the configuration, the options
// by which a user sets it, the command lines that say it again, and the part that a
// bug file keeps. Invariant: a configuration is plain data; what schedules depend on
// is in its JSON form, and nothing else is (TestOptionsCoverConfig).
package config
