package main

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/FastFilter/xorfilter"
	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// keyed is a sketch of keys, which takes many hashes at once: see add and ask.
type keyed interface{ Blob() []byte }

// add adds keys. Only some sketches can be full.
func add(s keyed, h1s, h2s []uint64) {
	switch s := s.(type) {
	case interface{ AddHashes(h1s, h2s, ns []uint64) }:
		s.AddHashes(h1s, h2s, nil)
	case interface {
		AddHashes(h1s, h2s, ns []uint64) error
	}:
		report.Check(s.AddHashes(h1s, h2s, nil))
	}
}

// Answers of ask.
var (
	yes    [hotKeys]bool
	counts [hotKeys]uint64
)

// ask asks whether keys are there, or of sketches that cannot say that how often.
func ask(s keyed, h1s, h2s []uint64) {
	switch s := s.(type) {
	case interface {
		ContainsHashes(dst []bool, h1s, h2s []uint64)
	}:
		s.ContainsHashes(yes[:len(h1s)], h1s, h2s)
	case interface{ CountHashes(dst, h1s, h2s []uint64) }:
		s.CountHashes(counts[:len(h1s)], h1s, h2s)
	}
}

// families make their sketch for so many keys, with default options otherwise.
// Count-Min, which knows no capacity, has a 10,000th of the total as its error.
var families = []struct {
	name, options string // of SQL, for $n keys
	make          func(capacity uint64) keyed
}{
	{"bloom", "{capacity: $n}", func(n uint64) keyed { return report.Must(bloom.New(bloom.Params{Capacity: n})) }},
	{"cuckoo", "{capacity: $n}", func(n uint64) keyed { return report.Must(cuckoo.New(cuckoo.Params{Capacity: n})) }},
	{"cbf", "{capacity: $n}", func(n uint64) keyed { return report.Must(cbf.New(cbf.Params{Capacity: n})) }},
	{"sbf", "{capacity: $n}", func(n uint64) keyed { return report.Must(sbf.New(sbf.Params{Capacity: n})) }},
	{"cms", "{epsilon: 0.0001}", func(uint64) keyed { return report.Must(cms.New(cms.Params{Epsilon: 0.0001})) }},
}

// hashed calls add or ask with the hashes of keys, as many at once as in SQL.
func hashed(keys []uint64, s keyed, f func(s keyed, h1s, h2s []uint64)) {
	var h1s, h2s [batch]uint64
	for from := 0; from < len(keys); from += batch {
		part := keys[from:min(from+batch, len(keys))]
		key.HashUint64s(0, part, h1s[:], h2s[:])
		f(s, h1s[:len(part)], h2s[:len(part)])
	}
}

// numbers are n different keys in no particular order, others for every stream.
func numbers(n int, stream uint64) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		// Odd multiples modulo 2^64 differ.
		keys[i] = (stream<<40 | uint64(i)) * 0x9e3779b97f4a7c15
	}
	return keys
}

// filters compares the families with the exact structure, a map.
func filters(b *bench) {
	for _, n := range report.Pick(b.c, []int{5000}, []int{100_000, 500_000}, []int{100_000, 2_000_000}) {
		keys := numbers(n, 0)
		sketches := make([]keyed, len(families))
		var exact map[uint64]uint64
		contest := func(operation string, ours func(i int) contender, theirs contender) {
			theirs.name = "map"
			var contenders []contender
			for i, f := range families {
				c := ours(i)
				c.name = f.name
				contenders = append(contenders, c)
			}
			took := b.inTurn(fmt.Sprintf("%d keys, %s", n, operation), append(contenders, theirs)...)
			for i, f := range families {
				b.record(fmt.Sprintf("%s, %d keys", f.name, n), operation, took[i].over(took[len(families)]), report.At{"family": f.name, "keys": n})
			}
		}
		asking := func(operation string, keys []uint64) {
			contest(operation, func(i int) contender {
				return contender{run: func() { hashed(keys, sketches[i], ask) }}
			}, contender{run: func() {
				sum := uint64(0)
				for _, k := range keys {
					sum += exact[k]
				}
				keep(sum)
			}})
		}
		contest("add", func(i int) contender {
			return contender{fresh: func() { sketches[i] = families[i].make(uint64(n)) }, run: func() { hashed(keys, sketches[i], add) }}
		}, contender{fresh: func() { exact = make(map[uint64]uint64, n) }, run: func() {
			for _, k := range keys {
				exact[k]++
			}
		}})
		asking("ask for keys", keys)
		asking("ask for others", numbers(n, 1))
		for i, f := range families {
			b.Record(report.At{"family": f.name, "keys": n}, report.Figures{"bits": 8 * float64(len(sketches[i].Blob())) / float64(n)})
		}
		b.Set("n", n)
	}
}

// fuse compares Bloom and cuckoo filters with FastFilter's binary fuse filters, of 8 and of 16
// bits, of the same keys.
func fuse(b *bench) {
	n := report.Pick(b.c, 5000, 300_000, 2_000_000)
	keys, others := numbers(n, 0), numbers(n, 1)
	b.Set("n", n)
	againstFuse[uint8](b, keys, others)
	againstFuse[uint16](b, keys, others)
}

// againstFuse is for fingerprints of that type.
func againstFuse[T xorfilter.Unsigned](b *bench, keys, others []uint64) {
	bits := 8 * unsafe.Sizeof(*new(T))
	target := 1 / float64(uint64(1)<<bits)
	// A lookup compares with the eight slots of two buckets: three bits more.
	p := cuckoo.Params{Capacity: uint64(len(keys)), FingerprintBits: uint64(bits) + 3, Slots: 4, Variant: cuckoo.Tagged}
	n := float64(len(keys))
	for _, f := range []struct {
		name   string
		create func() keyed
	}{
		{"Bloom", func() keyed { return report.Must(bloom.New(bloom.Params{Capacity: p.Capacity, FPP: target})) }},
		{fmt.Sprintf("cuckoo, %d bits", p.FingerprintBits), func() keyed { return report.Must(cuckoo.New(p)) }},
	} {
		name := fmt.Sprintf("%s, rate 2^-%d", f.name, bits)
		var ours keyed
		var theirs *xorfilter.BinaryFuse[T]
		contest := func(operation string, mine, other func()) {
			took := b.inTurn(name+", "+operation, contender{name: "ours", run: mine}, contender{name: "binary fuse", run: other})
			b.record(name, operation, took[0].over(took[1]), nil)
		}
		contest("build", func() {
			ours = f.create()
			hashed(keys, ours, add)
		}, func() { theirs = report.Must(xorfilter.NewBinaryFuse[T](keys)) })
		found := func(keys []uint64) (n float64) {
			for _, k := range keys {
				if theirs.Contains(k) {
					n++
				}
			}
			return n
		}
		contest("lookup", func() { hashed(keys, ours, ask) }, func() { keep(found(keys)) })
		contest("lookup of absent keys", func() { hashed(others, ours, ask) }, func() { keep(found(others)) })
		rate := 0.0
		hashed(others, ours, func(s keyed, h1s, h2s []uint64) {
			ask(s, h1s, h2s)
			rate += float64(report.Count(yes[:len(h1s)], func(is bool) bool { return is })) / n
		})
		b.Record(report.At{"filter": name}, report.Figures{"rate": rate, "fuse rate": found(others) / n,
			"bits": 8 * float64(len(ours.Blob())) / n, "fuse bits": float64(bits) * float64(len(theirs.Fingerprints)) / n})
	}
}

// keyedPaths build sketches of keys.
func (b *bench) keyedPaths() (paths []path) {
	n := report.Pick(b.c, 20_000, 200_000, 2_000_000)
	b.run(fmt.Sprintf("CREATE TABLE k AS SELECT (hash(i) >> 1)::BIGINT AS k FROM range(%d) t(i)", n))
	keys := report.Column(duck.Column[int64](b.db, "SELECT k FROM k ORDER BY rowid"), func(k int64) uint64 { return uint64(k) })
	for _, f := range families {
		paths = append(paths, path{f.name + "_agg", fmt.Sprintf("SELECT octet_length(%s_agg(k, %s)) FROM k", f.name, strings.ReplaceAll(f.options, "$n", fmt.Sprint(n))), func() {
			s := f.make(uint64(n))
			hashed(keys, s, add)
			s.Blob()
		}, true})
	}
	return paths
}
