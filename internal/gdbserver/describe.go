package gdbserver

import (
	"cmp"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/trace"
)

// target.xml, as gdb's manual has it: "Target Descriptions", and the standard features of
// i386 and x86-64.

// general are the registers of the feature core, in gdb's order.
type general struct {
	name string
	of   func(*debugger.Registers) uint64
	kind string
}

func cores(wide bool) []general {
	ax := general{"ax", func(r *debugger.Registers) uint64 { return r.RAX }, ""}
	bx := general{"bx", func(r *debugger.Registers) uint64 { return r.RBX }, ""}
	cx := general{"cx", func(r *debugger.Registers) uint64 { return r.RCX }, ""}
	dx := general{"dx", func(r *debugger.Registers) uint64 { return r.RDX }, ""}
	si := general{"si", func(r *debugger.Registers) uint64 { return r.RSI }, ""}
	di := general{"di", func(r *debugger.Registers) uint64 { return r.RDI }, ""}
	bp := general{"bp", func(r *debugger.Registers) uint64 { return r.RBP }, "data_ptr"}
	sp := general{"sp", func(r *debugger.Registers) uint64 { return r.RSP }, "data_ptr"}
	ip := general{"ip", func(r *debugger.Registers) uint64 { return r.RIP }, "code_ptr"}
	order, prefix, word := []general{ax, bx, cx, dx, si, di, bp, sp}, "r", "int64"
	if !wide {
		// The order in which instructions number them.
		order, prefix, word = []general{ax, cx, dx, bx, sp, bp, si, di}, "e", "int32"
	}
	if wide {
		for i := 8; i < trace.NumGeneral; i++ {
			order = append(order, general{strconv.Itoa(i), func(r *debugger.Registers) uint64 { return r.General()[i] }, ""})
		}
	}
	order = append(order, ip)
	for i := range order {
		order[i].name, order[i].kind = prefix+order[i].name, cmp.Or(order[i].kind, word)
	}
	return order
}

// segments are the segment registers, which threads don't change.
var segments = []string{"cs", "ss", "ds", "es", "fs", "gs"}

// controls are those of x87 beside its data.
var controls = []string{"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"}

func (s *server) targetXML() string {
	var b strings.Builder
	arch, bits, vectors := "i386:x86-64", 64, 16
	if !s.about.Wide {
		arch, bits, vectors = "i386", 32, 8
	}
	b.WriteString("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">")
	fmt.Fprintf(&b, "<architecture>%s</architecture>", arch)
	if s.about.Linux {
		b.WriteString("<osabi>GNU/Linux</osabi>")
	}
	reg := func(name string, bits int, kind string) {
		fmt.Fprintf(&b, `<reg name="%s" bitsize="%d" type="%s"/>`, name, bits, kind)
	}
	b.WriteString(`<feature name="org.gnu.gdb.i386.core">`)
	for _, r := range cores(s.about.Wide) {
		reg(r.name, bits, r.kind)
	}
	reg("eflags", 32, "int32")
	for _, name := range segments {
		reg(name, 32, "int32")
	}
	for i := range 8 {
		reg(fmt.Sprintf("st%d", i), 80, "i387_ext")
	}
	for _, name := range controls {
		reg(name, 32, "int32")
	}
	b.WriteString(`</feature><feature name="org.gnu.gdb.i386.sse">`)
	b.WriteString(`<vector id="v4f" type="ieee_single" count="4"/><vector id="v2d" type="ieee_double" count="2"/>` +
		`<vector id="v16i8" type="int8" count="16"/><vector id="v8i16" type="int16" count="8"/>` +
		`<vector id="v4i32" type="int32" count="4"/><vector id="v2i64" type="int64" count="2"/>` +
		`<union id="vec128"><field name="v4_float" type="v4f"/><field name="v2_double" type="v2d"/>` +
		`<field name="v16_int8" type="v16i8"/><field name="v8_int16" type="v8i16"/><field name="v4_int32" type="v4i32"/>` +
		`<field name="v2_int64" type="v2i64"/><field name="uint128" type="uint128"/></union>`)
	for i := range vectors {
		reg(fmt.Sprintf("xmm%d", i), 128, "vec128")
	}
	reg("mxcsr", 32, "int32")
	b.WriteString(`</feature>`)
	if s.about.Linux {
		b.WriteString(`<feature name="org.gnu.gdb.i386.linux">`)
		reg(original(s.about.Wide), bits, "int")
		b.WriteString(`</feature>`)
	}
	if s.about.Wide {
		b.WriteString(`<feature name="org.gnu.gdb.i386.segments">`)
		reg("fs_base", 64, "int")
		reg("gs_base", 64, "int")
		b.WriteString(`</feature>`)
	}
	b.WriteString("</target>")
	return b.String()
}

// original is the register in which Linux keeps a call's number.
func original(wide bool) string {
	if wide {
		return "orig_rax"
	}
	return "orig_eax"
}

// shortSchedule is the length of a schedule that a list of threads has at the run's end. A
// gdb of the user's own prints the list to its standard output, and monitor's answers to
// standard error. So a session that is kept names its run.
const shortSchedule = 64

// threadsXML is the list of threads.
func (s *server) threadsXML() (string, error) {
	all, err := s.target.Threads()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?><threads>")
	for _, t := range all.All {
		fmt.Fprintf(&b, `<thread id="%x" name="`, t.Number)
		xml.EscapeText(&b, []byte(t.Name))
		b.WriteString(`">`)
		about := t.About
		if s.notes != nil && all.Ended && t.Number == all.Current && len(s.about.Schedule) <= shortSchedule {
			about += "; schedule " + s.about.Schedule
		}
		xml.EscapeText(&b, []byte(about))
		b.WriteString("</thread>")
	}
	b.WriteString("</threads>")
	return b.String(), nil
}

// threadList is the same for a gdb that reads no XML.
func (s *server) threadList() (string, error) {
	all, err := s.target.Threads()
	if err != nil {
		return refused, nil
	}
	var ids []string
	for _, t := range all.All {
		ids = append(ids, fmt.Sprintf("%x", t.Number))
	}
	if len(ids) == 0 {
		return "l", nil
	}
	return "m" + strings.Join(ids, ","), nil
}

func (s *server) threadText(p string) (string, error) {
	if t := s.thread(p); t != nil {
		return hex.EncodeToString([]byte(t.Name + ": " + t.About)), nil
	}
	return refused, nil
}

// thread is the thread with an id of the protocol's, nil if none lives at the moment.
func (s *server) thread(p string) *debugger.Thread {
	n, ok := threadID(p)
	all, err := s.target.Threads()
	if !ok || err != nil {
		return nil
	}
	for i := range all.All {
		if t := &all.All[i]; t.Number == n {
			return t
		}
	}
	return nil
}

// alive says whether a thread lives at the moment.
func (s *server) alive(p string) (string, error) {
	if s.thread(p) != nil {
		return "OK", nil
	}
	return refused, nil
}
