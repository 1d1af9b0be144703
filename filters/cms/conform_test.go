package cms

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/cockroachdb/datadriven"
)

// 100 keys use at most 100 counters of a row of 1,000, so an absent key shares one with a probability
// of 0.1. In all 3 rows that is 0.001.
var (
	plain        = family("plain", false)
	conservative = family("conservative", true)
)

func family(name string, conservative bool) conform.Family {
	of := func(width, depth, seed uint64) Params {
		return Params{Width: width, Depth: depth, Seed: seed, Conservative: conservative}
	}
	return conform.Keyed(Family, name, of(1000, 3, 9), of(50, 3, 9),
		func(r *rand.Rand) Params { return of(conform.Size(r, 100), conform.Size(r, 32), r.Uint64()) }, New,
	).Bound(100, 0.002)
}

func TestConformance(t *testing.T) {
	t.Run("plain", func(t *testing.T) { conform.Run(t, plain) })
	t.Run("conservative", func(t *testing.T) { conform.Run(t, conservative) })
}

func FuzzBlob(f *testing.F)             { conform.Fuzz(f, plain) }
func FuzzBlobConservative(f *testing.F) { conform.Fuzz(f, conservative) }
func FuzzOps(f *testing.F)              { conform.FuzzOps(f, plain) }
func FuzzOpsConservative(f *testing.F)  { conform.FuzzOps(f, conservative) }

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) {
	script.Keyed(t, Family, map[string]script.Command[*Sketch]{
		"join": func(_ *testing.T, _ *datadriven.TestData, _ map[string]*Sketch, s, other *Sketch) (string, error) {
			hi, lo, err := JoinSize(s, other)
			return fmt.Sprintf("%d %d\n", hi, lo), err
		},
	})
}

// exampleBlob is the sketch of docs/FORMAT.md.
func exampleBlob(t *testing.T) []byte {
	s := mustNew(t, Params{Width: 8, Depth: 2, Seed: 42})
	if err := s.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	s.AddKey([]byte("oak"), 300)
	s.AddKey([]byte("elm"), 2)
	return s.Blob()
}

// The code writes the worked example of the documentation.
func TestFormatExample(t *testing.T) {
	has := conform.Format(t)
	blob := exampleBlob(t)
	has(hex.Dump(blob))
	// Every number that the document claims about the example.
	v, err := NewView(blob)
	if err != nil {
		t.Fatal(err)
	}
	var claims strings.Builder
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		at := v.c.Places(nil, h1, h2)
		fmt.Fprintf(&claims, "| `%s` | %#016x | %#016x | %d | %d | %d |\n", k, h1, h2, at[0], uint64(at[1])-v.Width(), v.Count(h1, h2))
	}
	has(claims.String())
}

// Keys as docs/FORMAT.md lists them.
func TestFormatKeys(t *testing.T) {
	has := conform.Format(t)
	for value, b := range map[string][]byte{
		"1":                          key.AppendInt64(nil, 1),
		"9223372036854775808":        key.AppendUint64(nil, 1<<63),
		"2.5 (DOUBLE)":               key.AppendFloat64(nil, 2.5),
		"'oak'":                      key.AppendBytes(nil, []byte("oak")),
		"true":                       key.AppendBool(nil, true),
		"DATE '1970-01-02'":          key.AppendDate(nil, 1),
		"TIME '00:00:01'":            key.AppendTime(nil, 1, key.Seconds),
		"TIMESTAMP '1970-01-02'":     key.AppendTimestamp(nil, 86400, key.Seconds),
		"TIMESTAMP_NS, 1 nanosecond": key.AppendTimestamp(nil, 1, key.Nanos),
		"UUID '00112233-4455-6677-8899-aabbccddeeff'": key.AppendUUID(nil, 0x0011223344556677, 0x8899aabbccddeeff),
		"2.50 (DECIMAL)":     key.AppendDecimal(nil, 250, 0, 2),
		"INTERVAL '1 month'": key.AppendInterval(nil, 1, 0, 0),
	} {
		has(fmt.Sprintf("| %s | `%s` |\n", value, hex.EncodeToString(b)))
	}
}
