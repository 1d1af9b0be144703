// Package conform is the conformance kit: it checks the promises of every family of sketches in the
// same way. A family of sketches of keys is adapted by Keyed, with integers for keys:
//
//	// Of 1,000 counters and 3 rows, an absent key meets ... (why 0.002)
//	var family = conform.Keyed(Family, "plain", Params{Width: 1000, Depth: 3}, Params{Width: 50, Depth: 3},
//		func(r *rand.Rand) Params { return Params{Width: conform.Size(r, 100), Depth: conform.Size(r, 32)} }, New,
//	).Bound(100, 0.002)
//
//	func TestConformance(t *testing.T) { conform.Run(t, family) }
//	func FuzzBlob(f *testing.F)        { conform.Fuzz(f, family) }
//	func FuzzOps(f *testing.F)         { conform.FuzzOps(f, family) }
//
// Others adapt their sketch to Subject. A subject that is a Subtracter has one ability more. Laws are
// its promises.
package conform

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Subject is a sketch whose keys are integers.
type Subject interface {
	// Add counts n occurrences of a key. An error fails the test.
	Add(id, n uint64) error
	// Remove removes n occurrences of a key. In some families it always returns an error.
	Remove(id, n uint64) error
	// Union adds the keys of another subject of the family, UnionBlob those of a BLOB.
	Union(other Subject) error
	UnionBlob(blob []byte) error
	// Count returns the estimated count of a key. A family for sets returns 1 if the key may be in the
	// set.
	Count(id uint64) uint64
	// Blob encodes the sketch and leaves it unchanged.
	Blob() []byte
}

// Subtracter is a Subject with a method that subtracts a sketch given as a BLOB. In some families the
// method always returns an error.
type Subtracter interface {
	SubtractBlob(blob []byte) error
}

// Laws are the promises of a family, in addition to the promise that no count is too low.
type Laws = sketch.Laws

// Family describes a family of sketches, or one form of its sketches, to the kit.
type Family struct {
	Name string
	// New makes an empty subject that has room for the random operations: about 5,000 keys, or Keys if it
	// is set.
	New func() Subject
	// Small makes an empty subject whose BLOB stays small: a few KiB with 50 keys. The kit flips every
	// bit of it.
	Small func() Subject
	// Drawn returns a function that makes empty subjects of one random configuration, with odd and tiny
	// sizes too (Size). The subjects may be too small for what is added: Add and Union then return an
	// error.
	Drawn func(r *rand.Rand) func() Subject
	// Decode makes a subject from a BLOB, after verifying its checksum.
	Decode func(blob []byte) (Subject, error)
	// Look returns the count of a key from a BLOB without decoding the BLOB. It need not verify the
	// checksum.
	Look func(blob []byte, id uint64) (uint64, error)
	// Describe asks for everything else that a BLOB tells without its checksum, if there is anything.
	Describe func(blob []byte)
	// Check is the family's sketch.Family Check.
	Check func(blob []byte) error
	Laws  Laws
	// NeverSubtracts says that sketches of the family cannot be subtracted, whatever their parameters
	// are.
	NeverSubtracts bool
	// Absent is the largest probability that a key that was never added has a Count above 0. It holds for
	// a subject of New with Load distinct keys. The kit allows four standard deviations of the sample
	// more.
	Load   int
	Absent float64
	// BlobsApart says that a sketch that is being built knows more than its BLOB. A union with the sketch
	// then differs from a union with the BLOB.
	BlobsApart bool
	// Keys is the number of distinct keys in the random operations; 0 means 5,000.
	Keys int
	// Even says that keys are equally frequent, and come a few times at once at most. It is for sketches
	// that have room for few occurrences of a key.
	Even bool
	// Heavy is how many keys the work of one Add corresponds to; 0 means 1. Random histories are shorter
	// by this factor, unless CCBF_LONG is set.
	Heavy int
}

// The heap of these tests has a few megabytes. By default it is collected hundreds of times a second,
// which takes more than half of their processor time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// long reports whether the run may take minutes: CCBF_LONG=1.
func long() bool { return os.Getenv("CCBF_LONG") == "1" }

func (f Family) keys() int {
	if f.Keys > 0 {
		return f.Keys
	}
	return 5000
}

// fewer returns the number of operations to do instead of n: fewer if a key of the family is Heavy.
func (f Family) fewer(n int) int {
	if f.Heavy > 1 && !long() {
		return n / f.Heavy
	}
	return n
}

// mostAllocated returns how many bytes Decode and Look may allocate for a BLOB.
func mostAllocated(blob []byte) uint64 { return 64<<10 + 16*uint64(len(blob)) }

// Run runs every check as a subtest. An ordinary run does 10^5 random operations, one with CCBF_LONG=1
// in the environment 10^7. With -short it leaves out damaged BLOBs except truncated ones.
func Run(t *testing.T, f Family) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.slow {
				t.Skip("skipped: thousands of damaged BLOBs (make test-all)")
			}
			c.check(t, f)
		})
	}
}

var checks = []struct {
	name  string
	check func(t testing.TB, f Family)
	slow  bool // left out with -short
}{
	{"Operations", operations, false},
	{"Absent", absent, false},
	{"Order", order, false},
	{"Union", union, false},
	{"Remove", remove, false},
	{"Subtract", subtract, false},
	{"Sizes", sizes, false},
	{"Codec", codec, false},
	{"Truncations", truncations, false},
	{"BitFlips", bitFlips, true},
	{"ResealedFlips", resealedFlips, true},
	{"ResealedParameters", resealedParameters, false},
	{"Foreign", foreign, true},
}

// must ends the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same fails the test if the BLOBs a and b differ. what says which BLOBs they are.
func same(t testing.TB, what string, a, b []byte) {
	t.Helper()
	if bytes.Equal(a, b) {
		return
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	t.Fatalf("%s: BLOBs of %d and %d bytes differ at byte %d", what, len(a), len(b), at)
}

// truth returns the smallest count that is allowed for a key that was added n times.
func (f Family) truth(n uint64) uint64 {
	if f.Laws.Set {
		return min(n, 1)
	}
	return n
}

// Bound returns the family f with this Load and Absent.
func (f Family) Bound(load int, absent float64) Family {
	f.Load, f.Absent = load, absent
	return f
}

// checkCount checks the count of key id, which was added n times.
func (f Family) checkCount(t testing.TB, when string, s Subject, id, n uint64) {
	t.Helper()
	got, want := s.Count(id), f.truth(n)
	if got < want && !f.Laws.Below || f.Laws.Exact && got != want {
		t.Fatalf("%s: key %d counted %d, true count %d", when, id, got, want)
	}
}

// checkCounts is checkCount for each key of truth.
func (f Family) checkCounts(t testing.TB, when string, s Subject, truth map[uint64]uint64) {
	t.Helper()
	for id, n := range truth {
		f.checkCount(t, when, s, id, n)
	}
}

// checkLook checks that a BLOB counts key id as s does, the sketch in the BLOB.
func (f Family) checkLook(t testing.TB, blob []byte, s Subject, id uint64) {
	t.Helper()
	want := s.Count(id)
	if got, err := f.Look(blob, id); err != nil || got != want {
		t.Fatalf("key %d: %d and error %v on the BLOB, %d decoded", id, got, err, want)
	}
}

// decoded returns the sketch of a BLOB, which must be valid and the sketch's own encoding.
func (f Family) decoded(t testing.TB, blob []byte) Subject {
	t.Helper()
	must(t, f.Check(blob))
	s, err := f.Decode(blob)
	must(t, err)
	same(t, "decoded and encoded", blob, s.Blob())
	return s
}
