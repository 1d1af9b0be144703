package conform

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// samples returns BLOBs of a small subject: empty, with a key, with fifty.
func (f Family) samples(t testing.TB) [][]byte {
	s := f.Small()
	blobs := [][]byte{s.Blob()}
	must(t, s.Add(42, 3))
	blobs = append(blobs, s.Blob())
	f.add(t, s, f.source(6, 50).ops(200))
	return append(blobs, s.Blob())
}

// codec checks that sketches stay the same when they are decoded and encoded.
func codec(t testing.TB, f Family) {
	blobs := f.samples(t)
	for i, n := range []int{0, 10, 1000, 20_000} {
		blobs = append(blobs, f.add(t, f.New(), f.source(7+uint64(i), f.keys()).ops(n)).Blob())
	}
	for _, blob := range blobs {
		keep := bytes.Clone(blob)
		s := f.decoded(t, blob)
		src := f.source(20, f.keys())
		for i := range uint64(1000) {
			id := src.id()
			if i%2 == 0 {
				id = 1<<41 + i
			}
			f.checkLook(t, blob, s, id)
		}
		same(t, "a BLOB that was read", keep, blob)
		// A decoded sketch shares no memory with its BLOB.
		for i := range blob {
			blob[i] = 0xff
		}
		same(t, "a sketch whose BLOB was overwritten", keep, s.Blob())
		// Two sketches decoded from one BLOB take the same additions to the same state.
		ops := src.ops(100)
		same(t, "additions after decoding", f.add(t, f.decoded(t, keep), ops).Blob(), f.add(t, f.decoded(t, keep), ops).Blob())
	}
}

// guard calls fn count times. fn reads hostile bytes, and must allocate at most most bytes per call. If a
// number in a BLOB makes a loop endless, the time limit of go test ends the test.
func guard(t testing.TB, count int, most uint64, fn func(i int)) {
	t.Helper()
	const batch = 128
	var before, after runtime.MemStats
	for i := 0; i < count; i += batch {
		runtime.ReadMemStats(&before)
		n := min(batch, count-i)
		for j := range n {
			fn(i + j)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most*uint64(n) {
			t.Fatalf("cases %d to %d allocate %d bytes, at most %d for each are allowed", i, i+n-1, got, most)
		}
	}
}

// look queries a damaged BLOB. The result does not matter, but it must not panic.
func (f Family) look(blob []byte) {
	for _, id := range [...]uint64{0, 42, 1 << 60} {
		_, _ = f.Look(blob, id)
	}
	if f.Describe != nil {
		f.Describe(blob)
	}
}

// rejected fails the test unless Decode and Check reject the BLOB with an error that wraps
// sketch.ErrInvalid.
func (f Family) rejected(t testing.TB, what string, i int, blob []byte) {
	t.Helper()
	if _, err := f.Decode(blob); !errors.Is(err, sketch.ErrInvalid) {
		t.Fatalf("%s %d: Decode says %v", what, i, err)
	}
	if err := f.Check(blob); !errors.Is(err, sketch.ErrInvalid) {
		t.Fatalf("%s %d: Check says %v", what, i, err)
	}
}

// truncations checks that truncated BLOBs, and BLOBs with a byte more, are rejected.
func truncations(t testing.TB, f Family) {
	for _, blob := range f.samples(t) {
		guard(t, len(blob), 2*mostAllocated(blob), func(i int) {
			// A copy, so that reading beyond the end is noticed.
			cut := append(make([]byte, 0, i), blob[:i]...)
			f.rejected(t, "cut at byte", i, cut)
			f.look(cut)
		})
		longer := append(bytes.Clone(blob), 0)
		f.rejected(t, "bytes after the end", 1, longer)
		f.look(longer)
	}
}

// flips calls use with each sample after each of its bits was flipped. use may allocate times mostAllocated.
func (f Family) flips(t testing.TB, times uint64, use func(i int, damaged []byte)) {
	for _, b := range f.samples(t) {
		guard(t, 8*len(b), times*mostAllocated(b), func(i int) {
			b[i/8] ^= 1 << (i % 8)
			use(i, b)
			b[i/8] ^= 1 << (i % 8)
		})
	}
}

// bitFlips checks that BLOBs with one wrong bit are rejected.
func bitFlips(t testing.TB, f Family) {
	f.flips(t, 2, func(i int, damaged []byte) {
		f.rejected(t, "flipped bit", i, damaged)
		f.look(damaged)
	})
}

// resealedFlips gives every damaged BLOB a right checksum, as an attacker would.
func resealedFlips(t testing.TB, f Family) {
	accepted := 0
	f.flips(t, 40, func(_ int, damaged []byte) {
		if f.exercise(t, bytes.Clone(damaged)) {
			accepted++
		}
	})
	t.Logf("%d flips make another valid BLOB", accepted)
}

// extremes are values that an attacker may give parameters.
var extremes = []uint64{0, 1, 2, 1 << 7, 1<<16 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}

// resealedParameters replaces each parameter, which is a varint or read as one, by extreme values. It
// also replaces each of their bytes by every byte. The checksum is right.
func resealedParameters(t testing.TB, f Family) {
	accepted := 0
	for _, blob := range f.samples(t) {
		b, err := sketch.Parse(blob)
		if err != nil {
			t.Fatal(err)
		}
		var edited [][]byte
		for at := 0; at < len(b.Params); {
			_, n := binary.Uvarint(b.Params[at:])
			n = max(n, 1)
			for _, v := range extremes {
				edited = append(edited, slices.Concat(b.Params[:at], binary.AppendUvarint(nil, v), b.Params[at+n:]))
			}
			at += n
		}
		for at := range b.Params {
			for v := range 256 {
				p := bytes.Clone(b.Params)
				p[at] = byte(v)
				edited = append(edited, p)
			}
		}
		guard(t, len(edited), 40*mostAllocated(blob), func(i int) {
			if f.exercise(t, sketch.Join(b.Header, edited[i], b.Body)) {
				accepted++
			}
		})
	}
	t.Logf("%d parameters make another valid BLOB", accepted)
}

// exercise seals a BLOB that anyone may have made and runs all operations on it. It must be rejected,
// or be a sketch: then it is encoded to the same bytes, and no operation may panic. It reports whether
// it was accepted.
func (f Family) exercise(t testing.TB, blob []byte) bool {
	t.Helper()
	f.look(blob)
	if _, err := sketch.Parse(blob); err == nil {
		sketch.Seal(blob)
	}
	f.look(blob)
	keep := bytes.Clone(blob)
	s, err := f.Decode(blob)
	if check := f.Check(blob); (check == nil) != (err == nil) {
		t.Fatalf("Decode says %v, Check says %v", err, check)
	}
	if err != nil {
		if !errors.Is(err, sketch.ErrInvalid) {
			t.Fatalf("rejected with an error that does not wrap ErrInvalid: %v", err)
		}
		if f.Small().UnionBlob(blob) == nil {
			t.Fatalf("Decode says %v, a union takes the BLOB", err)
		}
		return false
	}
	same(t, "an accepted BLOB, decoded and encoded", keep, s.Blob())
	for _, id := range [...]uint64{0, 42, 1 << 60} {
		f.checkLook(t, blob, s, id)
	}
	// From here on errors are allowed: the sketch may be full, or differ.
	_ = s.Remove(42, 1)
	_ = s.Remove(42, s.Count(42))
	_ = s.Add(42, 1)
	_ = s.Add(43, 1<<63)
	_ = s.Add(43, 1<<63)
	_ = s.Union(s)
	_ = s.Union(f.Small())
	_ = f.Small().Union(s)
	_ = s.UnionBlob(blob)
	_ = f.Small().UnionBlob(blob)
	same(t, "a BLOB that was read", keep, blob)
	out := s.Blob()
	again, err := f.Decode(out)
	if err != nil {
		t.Fatalf("after operations, the sketch's own BLOB is rejected: %v", err)
	}
	same(t, "after operations", out, again.Blob())
	return true
}

// foreign gives a family bytes that are no sketch, or a sketch of another family.
func foreign(t testing.TB, f Family) {
	good := f.samples(t)[2]
	other := bytes.Clone(good)
	other[5] ^= 0x07 // the family
	sketch.Seal(other)
	future := bytes.Clone(good)
	future[4] = sketch.Version + 1
	for i, blob := range [][]byte{
		nil, {}, []byte("SELECT 1;\n"), bytes.Repeat([]byte("lon,lat\n"), 100), make([]byte, 4096), other, future,
	} {
		f.rejected(t, "foreign bytes", i, blob)
		f.look(blob)
		if _, err := f.Look(blob, 1); !errors.Is(err, sketch.ErrInvalid) {
			t.Fatalf("foreign bytes %d: Look says %v", i, err)
		}
	}
}
