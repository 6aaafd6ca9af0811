// Package course reads course.yaml: how submissions are built, which tests they get, and
// what a verdict is worth. The file is the teacher's, so it is believed; but each
// complaint about it has the line, the column and the cure.
//
// # The files
//
//	course   a course: builds, tests, points
//	read     the file as a course; yaml: its forms, and complaints about them
//	keys     the keys that a mapping may have, and the JSON schema
//	text     bounds and points in words
package course
