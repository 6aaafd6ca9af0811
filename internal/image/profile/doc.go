// Package profile gives a guest's functions their meaning: roles (role.go), landgo's own profiles
// (pthread.go, p2.go, builtin.go), and the user's file (file.go). Files are named after its
// sections: kernel.go, alloc.go, point.go, sleep.go, for.go, loader.go. finder.go and
// ownkernel.go find the names of a profile in the guest.
//
// # The files
//
//	all of it     profile (what one says)
//	roles         role, roleop, point, binding (which function has which)
//	libraries     pthread, p2, rust, own (a program's functions of those names), alloc, alike
//	kernels       bare (annotations), kernel, ownkernel, loader, sleep, builtin
//	a text        file, yaml, value, finder (names in the image), for (which guests it is for)
package profile
