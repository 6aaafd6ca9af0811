package grade

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed is a file of an archive.
type packed struct {
	name, text string
	mode       fs.FileMode
	kind       byte   // of tar, 0: a regular file
	link       string // of tar
}

func tarOf(t *testing.T, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Typeflag: f.kind, Linkname: f.link, Size: int64(len(f.text))}
		if f.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode | 0o600)
		part, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	return b.Bytes()
}

// unpacked is the result of reading an archive: its files, or its problem.
func unpacked(t *testing.T, archive []byte, own ...string) string {
	t.Helper()
	top := t.TempDir()
	store, err := OpenStore(filepath.Join(top, "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	path := filepath.Join(top, "anna.zip")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := One(path)
	if err != nil || s.Name != "anna" {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := s.unpack(store, own); err != nil {
		t.Fatal(err)
	}
	var all []string
	filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
		} else if inside := s.Dir != "" && strings.HasPrefix(p, s.Dir+"/"); !d.IsDir() && !inside && p != path && d.Name() != "lock" {
			t.Errorf("%s lies elsewhere", p)
		}
		return nil
	})
	if s.Problem != "" {
		return s.Problem
	}
	again := Submission{Name: "anna", Archive: path}
	if err := again.unpack(store, own); err != nil || again.Dir != s.Dir {
		t.Errorf("again: %+v, %v", again, err)
	}
	if err := s.read(func(rel string, mode fs.FileMode, f io.Reader) error {
		text, err := io.ReadAll(f)
		all = append(all, fmt.Sprintf("%s %v %.10q", rel, mode&0o100 != 0, text))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// TestArchives: regular files come out of each kind of archive, and nothing else; what
// leads out of it, and what is too much, refuses it.
func TestArchives(t *testing.T) {
	two := []packed{{name: "a.c", text: "int a;"}, {name: "sub/run.sh", text: "#!/bin/sh", mode: 0o755}}
	const both = `a.c false "int a;", sub/run.sh true "#!/bin/sh"`
	lots := make([]packed, maxFiles+1)
	for i := range lots {
		lots[i].name = fmt.Sprint("f", i)
	}
	zeros := strings.Repeat("\x00", 1<<20)
	bomb := packed{name: "z", text: strings.Repeat(zeros, maxFile>>20+1)}
	cut := zipOf(t, two...)
	locked := bytes.Replace(zipOf(t, two...), []byte("PK\x01\x02\x14\x03\x14\x00\x08"), []byte("PK\x01\x02\x14\x03\x14\x00\x09"), 1)
	for name, c := range map[string]struct {
		archive []byte
		own     []string
		want    string
	}{
		"zip":              {zipOf(t, two...), nil, both},
		"tar":              {tarOf(t, two...), nil, both},
		"tar.gz":           {gzipOf(tarOf(t, two...)), nil, both},
		"empty zip":        {zipOf(t), nil, ""},
		"a folder":         {zipOf(t, packed{name: "lab/a.c", text: "x"}, packed{name: "__MACOSX/lab/._a.c"}, packed{name: "lab/.DS_Store"}), nil, `a.c false "x"`},
		"a course's":       {zipOf(t, packed{name: "lab/a.c", text: "x"}), []string{"lab/test"}, `lab/a.c false "x"`},
		"backslashes":      {zipOf(t, packed{name: `lab\src\a.c`, text: "x"}, packed{name: "b.c"}), nil, `b.c false "", lab/src/a.c false "x"`},
		"up":               {zipOf(t, packed{name: "../a.c"}), nil, `the archive can't be unpacked: "../a.c" leads out of it`},
		"up inside":        {tarOf(t, packed{name: "b/../../a.c"}), nil, `the archive can't be unpacked: "b/../../a.c" leads out of it`},
		"up by backslash":  {zipOf(t, packed{name: `..\a.c`}), nil, `the archive can't be unpacked: "../a.c" leads out of it`},
		"absolute":         {tarOf(t, packed{name: "/etc/a.c"}), nil, `the archive can't be unpacked: "/etc/a.c" leads out of it`},
		"twice":            {tarOf(t, packed{name: "a"}, packed{name: "b/../a"}), nil, `the archive can't be unpacked: it has "a" twice`},
		"links":            {tarOf(t, packed{name: "out", kind: tar.TypeSymlink, link: "/etc"}, packed{name: "out/passwd", text: "x"}, packed{name: "hard", kind: tar.TypeLink, link: "/etc/passwd"}, packed{name: "pipe", kind: tar.TypeFifo}, packed{name: "b"}), nil, `b false "", out/passwd false "x"`},
		"a zip's link":     {zipOf(t, packed{name: "l", text: "/etc/passwd", mode: fs.ModeSymlink}, packed{name: "b"}), nil, `b false ""`},
		"many files":       {tarOf(t, lots...), nil, "the archive can't be unpacked: it has more than 5000 files"},
		"a zip bomb":       {zipOf(t, bomb), nil, "the archive can't be unpacked: a file of it has more than 64 MiB, or all of them have more than 128 MiB"},
		"a gzip bomb":      {gzipOf(tarOf(t, packed{name: "d", kind: 'Z', text: strings.Repeat(zeros, 160)})), nil, "the archive can't be unpacked: it has more than 128 MiB"},
		"deep":             {tarOf(t, packed{name: strings.Repeat("d/", maxDepth+1) + "a"}), nil, "the archive can't be unpacked: its folders are too deep"},
		"a file is folder": {tarOf(t, packed{name: "a", text: "x"}, packed{name: "a/b"}), nil, "the archive can't be unpacked: mkdir a: not a directory"},
		"cut":              {cut[:len(cut)-30], nil, "the archive can't be unpacked: zip: not a valid zip file"},
		"cut tar":          {tarOf(t, two...)[:1400], nil, "the archive can't be unpacked: unexpected EOF"},
		"encrypted":        {locked, nil, "the archive can't be unpacked: it is encrypted"},
		"text":             {[]byte("int main;\n"), nil, "the archive can't be unpacked: it isn't a folder, a zip, a tar, a tar.gz or a tar.bz2"},
	} {
		if got := unpacked(t, c.archive, c.own...); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestArchiveNames: a student's name is the archive's, unless another one has it.
func TestArchiveNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"anna.zip", "ben.tar.gz", "ben.tgz", "carl.ZIP", ".zip.zip"} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o644)
	}
	os.Mkdir(filepath.Join(dir, "anna"), 0o755)
	os.Symlink("anna.zip", filepath.Join(dir, "dora.zip"))
	all, err := Submissions(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if got := fmt.Sprint(names); got != "[anna anna.zip ben ben.tgz carl dora.zip]" || all[5].Problem == "" {
		t.Errorf("%s, %q", got, all[5].Problem)
	}
}
