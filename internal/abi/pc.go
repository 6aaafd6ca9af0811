package abi

// MaxDisks is how many disks a PC has room for: two channels with two each.
const MaxDisks = 4
