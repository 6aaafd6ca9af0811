package choose

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// OnTerminal reports whether a screen can be shown: both are a terminal's, and that has a
// cursor that can be moved. out may be nil.
func OnTerminal(in, out *os.File) bool {
	return out != nil && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}

// Sequences for a terminal (xterm's names): another screen, no cursor, no wrapping at
// the right edge; and the reverse.
const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	leave = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	home  = "\x1b[H"
	erase = "\x1b[K"
)

// Screen has the user choose in a terminal, until they leave.
func (r *Run) Screen(ctx context.Context, in, out *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(in.Fd()), before)
	if _, err := io.WriteString(out, enter); err != nil {
		return err
	}
	defer io.WriteString(out, mouseOff+leave)
	m := NewModel(r, styleOf(os.Getenv))
	pressed, size := make(chan Key), make(chan os.Signal, 1)
	over := make(chan bool)
	defer close(over)
	go readKeys(in, pressed, over)
	signal.Notify(size, syscall.SIGWINCH)
	defer signal.Stop(size)
	sized := func() {
		if w, h, err := term.GetSize(int(out.Fd())); err == nil && w > 0 && h > 0 {
			m.Update(Size{w, h})
		}
	}
	sized()
	done := make(chan any, 1) // one work at a time
	begin := func(w Work) {
		if w != nil {
			go func() { done <- w() }()
		}
	}
	begin(m.Begin())
	var shown []string
	mouse := false
	for !m.Over() {
		if m.mouse != mouse {
			mouse = m.mouse
			if _, err := io.WriteString(out, map[bool]string{true: mouseOn, false: mouseOff}[mouse]); err != nil {
				return err
			}
		}
		var slow <-chan time.Time
		if m.busy { // the run is the work's until it is done
			slow = time.After(100 * time.Millisecond)
		} else {
			shown = m.Frame()
			if err := draw(out, shown); err != nil {
				return err
			}
		}
		select {
		case <-slow:
			if err := draw(out, m.Waiting(shown)); err != nil {
				return err
			}
		case k, ok := <-pressed:
			if !ok {
				return nil // the terminal is gone
			}
			begin(m.Update(k))
		case message := <-done:
			begin(m.Update(message))
		case <-size:
			sized()
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// styleOf is the style that a user's environment asks for.
func styleOf(env func(string) string) Style {
	locale := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = env(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return Style{Color: env("NO_COLOR") == "", Plain: !strings.Contains(locale, "utf8")}
}

// draw puts a frame on the screen.
func draw(out io.Writer, lines []string) error {
	var b bytes.Buffer
	b.WriteString(home)
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + erase)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// readKeys sends the keys that are pressed, and closes pressed at the end. A lone escape is
// one once nothing has followed it for a moment.
func readKeys(in io.Reader, pressed chan<- Key, over <-chan bool) {
	defer close(pressed)
	read := make(chan []byte)
	go func() {
		defer close(read)
		for {
			b := make([]byte, 256)
			n, err := in.Read(b)
			if n > 0 {
				select {
				case read <- b[:n]:
				case <-over:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	var rest []byte
	for {
		var late <-chan time.Time
		if len(rest) > 0 {
			late = time.After(50 * time.Millisecond)
		}
		final := false
		select {
		case b, ok := <-read:
			if !ok {
				return
			}
			rest = append(rest, b...)
		case <-late:
			final = true
		case <-over:
			return
		}
		for len(rest) > 0 && (final || !begun(rest)) {
			k, n := firstKey(rest)
			rest = rest[n:]
			if k == "" {
				continue
			}
			select {
			case pressed <- k:
			case <-over:
				return
			}
		}
	}
}

// begun reports whether bytes are the beginning of a key whose rest may follow.
func begun(b []byte) bool {
	switch {
	case !utf8.FullRune(b):
		return true
	case b[0] == 0x1b && len(b) == 1:
		return true
	case b[0] == 0x1b && (b[1] == '[' || b[1] == 'O'):
		for _, c := range b[2:] {
			if c >= 0x40 && c <= 0x7e {
				return false
			}
		}
		return true
	}
	return false
}
