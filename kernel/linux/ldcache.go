package linux

import (
	"encoding/binary"
	"path"
	"slices"

	"landgo/internal/image/elffile"
)

// The cache of libraries that glibc's dynamic linker looks names up in
// (/etc/ld.so.cache, glibc's sysdeps/generic/dl-cache.h): here, of the libraries that the
// program was loaded with.

const (
	cacheMagic  = "glibc-ld.so.cache1.1"
	cacheHeader = 48
	cacheEntry  = 24
	cacheFlags  = 0x0303 // a library of glibc's for x86-64
	cacheLittle = 2      // little-endian
)

// libraryCache is the file's content.
func libraryCache(parts []*elffile.File) []byte {
	type entry struct{ name, path string }
	var list []entry
	for _, p := range parts {
		names := []string{path.Base(p.Path)}
		if n := p.Dynamic.Name; n != "" && n != names[0] {
			names = append(names, n)
		}
		for _, n := range names {
			if !slices.ContainsFunc(list, func(e entry) bool { return e.name == n }) {
				list = append(list, entry{n, p.Path})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return compareLibraries(b.name, a.name) }) // the highest first
	var text []byte
	entries := make([]byte, 0, len(list)*cacheEntry)
	at := func(s string) uint32 {
		n := cacheHeader + len(list)*cacheEntry + len(text)
		text = append(append(text, s...), 0)
		return uint32(n)
	}
	for _, e := range list {
		entries = binary.LittleEndian.AppendUint32(entries, cacheFlags)
		entries = binary.LittleEndian.AppendUint32(entries, at(e.name))
		entries = binary.LittleEndian.AppendUint32(entries, at(e.path))
		entries = append(entries, make([]byte, 12)...) // any version, any processor
	}
	head := append(make([]byte, 0, cacheHeader), cacheMagic...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(list)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, cacheLittle)
	head = append(head, make([]byte, cacheHeader-len(head))...)
	return slices.Concat(head, entries, text)
}

// compareLibraries is the order of names in the cache, as glibc's _dl_cache_libcmp has
// it: numbers by their value, and behind all other characters.
func compareLibraries(a, b string) int {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for a != "" {
		switch {
		case digit(a[0]) && b != "" && digit(b[0]):
			var x, y uint64
			for ; a != "" && digit(a[0]); a = a[1:] {
				x = x*10 + uint64(a[0]-'0')
			}
			for ; b != "" && digit(b[0]); b = b[1:] {
				y = y*10 + uint64(b[0]-'0')
			}
			if x != y {
				if x < y {
					return -1
				}
				return 1
			}
		case digit(a[0]):
			return 1
		case b == "":
			return 1
		case digit(b[0]):
			return -1
		case a[0] != b[0]:
			return int(a[0]) - int(b[0])
		default:
			a, b = a[1:], b[1:]
		}
	}
	if b == "" {
		return 0
	}
	return -1
}
