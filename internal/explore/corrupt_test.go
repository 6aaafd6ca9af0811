package explore

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/corrupt"
	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/result"
)

var corruptBound = corrupt.Bound{Time: 20 * time.Second, Fixed: 512 << 20, Factor: 4096}

// corruptGuest has some thousand executions, and a bug in some.
const corruptGuest = `#include <assert.h>
#include <pthread.h>
static int x;
static void *f(void *a) { for (int i = 0; i < 2; i++) { int t = x; x = t + 1; } return a; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	assert(x > 2);
}
`

// explained checks that a run ended with a verdict, or with an error that has a kind.
func explained(r *result.Result, err error) error {
	if err != nil && result.KindOf(err) == result.Fault {
		return fmt.Errorf("an error without a kind: %w", err)
	}
	if err == nil && r.Verdict == result.Invalid && r.Problem == result.Fault {
		return fmt.Errorf("invalid for a fault: %s", r.Reason)
	}
	return nil
}

// TestCorruptCheckpoint: a checkpoint with wrong values whose sum is right is refused,
// or gone on with to some verdict.
func TestCorruptCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.ckpt")
	base := config.Default()
	base.Guest, base.Out, base.Jobs, base.KeepGoing = compile.Text(t, "musl-gcc", corruptGuest), config.NoFile, 1, true
	split := compile.File(t, "musl-gcc", "../../testdata/split.c") // which takes more than a moment without --pp
	base.CheckpointEvery = time.Microsecond
	one := base
	one.Deepen = false
	sleep := one
	sleep.Search = "sleep"
	base.Guest = split
	for i, name := range []string{"one search", "sleep", "many sets"} {
		c := []config.Config{one, sleep, base}[i]
		c.Checkpoint = path
		os.Remove(path)
		// Up to where it is saved.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(path); err == nil {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		r, err := Run(ctx, c, nil)
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := saved.ReadCheckpoint(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p.Sum = ""
		good, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		c.Checkpoint, c.Resume, c.MaxExecutions, c.Time = "", path, r.Executions+50, time.Second
		if r, err := Run(context.Background(), c, nil); err != nil {
			t.Fatalf("%s: the good one is refused: %v, %v", name, r, err)
		}
		refused := 0
		cases := corrupt.Count(t, 45, 3) / 3
		corrupt.Run(t, name, corrupt.JSONValues, good, cases, corruptBound, func(data []byte) error {
			var again saved.Checkpoint
			if json.Unmarshal(data, &again) == nil {
				again.Sum = again.Digest()
				data, _ = json.Marshal(&again)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				return err
			}
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				refused++
			}
			return explained(r, err)
		})
		if refused == 0 || refused == cases {
			t.Errorf("%s: %d of %d refused: the cases show nothing", name, refused, cases)
		}
	}
}

// TestCorruptBoot: a kept boot with wrong values whose sum is right is reported and
// the kernel booted, or gone on from.
func TestCorruptBoot(t *testing.T) {
	c := kernelConfig(kernelBuilt(t, "kernel"), "lock memtest=1", "cli")
	c.Snapshot, c.Time, c.StepBudget = t.TempDir(), 10*time.Second, 20_000_000
	bootedFrom(t, c)
	file, good := kept(t, c)
	head := len(saved.BootMagic) + 32 + crc32.Size
	corrupt.Run(t, "boot", corrupt.Binary, good[head:], corrupt.Count(t, 25, 1), corruptBound, func(data []byte) error {
		text := append(append([]byte(nil), good[:head]...), data...)
		binary.LittleEndian.PutUint32(text[head-crc32.Size:], crc32.Checksum(data, saved.BootSum))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		return explained(Run(context.Background(), c, nil))
	})
	// Files that another user may have written aren't looked at.
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if n, notes := bootedFrom(t, c); n == 0 || len(notes) != 1 {
		t.Errorf("a file that others may write is used: %d instructions, %q", n, notes)
	}
}
