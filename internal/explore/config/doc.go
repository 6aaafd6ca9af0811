// Package config says what to explore and how. It has the configuration, the options
// by which a user sets it, the command lines that say it again, and the part that a
// bug file keeps. Invariant: a configuration is plain data; what schedules depend on
// is in its JSON form, and nothing else is (TestOptionsCoverConfig).
//
// # The files
//
//	the configuration  config, values (types of fields), derived (what follows from fields), model
//	                   (memory), validate
//	options            option (what one is), options and optionsguest (the table), optionset (functions
//	                   that the table uses), commandline (options from a configuration), nearest (did you mean)
//	values of options  disks, format, ignore, libraries, places, points, profile, trust, units
//	a bug file         bugconfig (fields that it keeps), kept (their check)
package config
