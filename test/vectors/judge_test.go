package vectors

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// reader starts the reader in js/ with node. The test is skipped without node, or before make js.
func reader(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here: the reader in js/ is not tested")
	}
	if _, err := os.Stat("../../js/dist/index.js"); err != nil {
		t.Skip("js/dist is not built: make js builds it, and the reader is tested then")
	}
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Dir = "../../js"
	return cmd
}

// TestReader runs the tests of the reader in js/, which reads the files of this folder.
func TestReader(t *testing.T) {
	if out, err := reader(t, "--test", "test/vectors.test.mjs", "test/reader.test.mjs").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDamaged compares the reader in js/ with Go, on BLOBs with changed bytes and a correct
// checksum. Both accept the same BLOBs, except for the encoding of trees.
func TestDamaged(t *testing.T) {
	n := 3_000
	if !testing.Short() {
		n = 100_000 // takes a minute
	}
	cmd := reader(t, "test/judge.mjs")
	var blobs []blob
	for _, b := range append(golden(t), sketches(t)...) {
		if family := sketch.ID(b.b[5]); family != 3 && family != 4 && family != 7 { // the reader does not read sbf, cbf and top
			blobs = append(blobs, b)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var changed []blob
	var in bytes.Buffer
	for i := range n {
		from := blobs[i%len(blobs)]
		b := blob{from.name, damage(r, from.b)}
		changed = append(changed, b)
		in.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b.b))))
		in.Write(b.b)
	}
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	got, err := io.ReadAll(out)
	check(t, err)
	check(t, cmd.Wait())
	if len(got) != n {
		t.Fatalf("%d answers to %d BLOBs", len(got), n)
	}
	valid, shown := 0, 0
	for i, b := range changed {
		err := checkBlob(b.b)
		if err == nil {
			valid++
		}
		if spelled(err) && got[i] == '1' {
			continue
		}
		if (err == nil) != (got[i] == '1') && shown < 20 {
			shown++
			t.Errorf("%s: the reader says %c, Go says %v of %x", b.name, got[i], err, b.b)
		}
	}
	t.Logf("%d of %d changed BLOBs are valid", valid, n)
	if valid < n/100 {
		t.Errorf("%d of %d changed BLOBs are valid: the test holds little", valid, n)
	}
}

// spelled reports whether the leaves of a tree are readable, but not encoded in the shortest way.
// The reader in js/ accepts such trees, with the same results.
func spelled(err error) bool {
	return err != nil && strings.Contains(err.Error(), "is not written as its leaves are")
}

// checkBlob returns the error of a BLOB for which sketch_is_valid is false.
func checkBlob(b []byte) error {
	for _, f := range filters.Families() {
		if len(b) > 5 && f.ID == sketch.ID(b[5]) {
			return f.Check(b)
		}
	}
	return sketch.ErrInvalid
}

// damage changes a few bytes of a BLOB, or its length, and corrects the checksum.
func damage(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(2) {
		at := 10 + r.IntN(len(b)-10)
		switch r.IntN(8) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b = append(b[:at:at], b[at+1:]...)
		case 2:
			b = append(b[:at:at], append([]byte{byte(r.Uint32())}, b[at:]...)...)
		case 3:
			b[at]++
		case 4:
			b[at]--
		default:
			b[at] ^= 1 << r.IntN(8)
		}
		if len(b) < 12 {
			return b
		}
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.LittleEndian.PutUint32(b[6:], crc32.Update(crc32.Checksum(b[:6], table), table, b[10:]))
	return b
}
