// Package config says what to explore and how: the configuration, the options by
// which a user sets it, the command lines that say it again, and what a bug file
// keeps of it. Invariant: a configuration is plain data; what schedules depend on is
// in its JSON form, and nothing else is (TestOptionsCoverConfig).
package config
