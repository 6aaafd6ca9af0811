// Package session is one guest under control: its file read, the kernel that it
// expects around it, booted and standing at the root of its state space. It says
// where the guest stands and by what names, follows schedules, and stops in the
// middle of a step where it has to. All that depends on the kind of kernel is in the
// table platform.go. Invariant: a session's state is a function of the image, the
// configuration, what it has learned, and the steps that were run since the root.
package session
