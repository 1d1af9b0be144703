package main

import (
	"fmt"
	"unsafe"

	"github.com/FastFilter/xorfilter"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// fuse compares Bloom and cuckoo filters with FastFilter's binary fuse filters,
// of 8 and of 16 bits.
func fuse(c report.Config, s *report.Section) {
	n := report.Pick(c, 5000, 300_000, 2_000_000)
	w := newStopwatch(c, s, 2*2*3)
	s.Text("FastFilter/xorfilter's binary fuse filters are built at once of all keys, which are numbers, and never change; ours take keys as they come, and cuckoo filters give them back. %d keys; the Bloom filter for the fuse filter's rate at them, the cuckoo filter of variant tagged, which has any size, with fingerprints of three bits more, as a lookup compares eight. Rates are measured with as many absent keys. One thread, hashing included, 2048 keys at once for ours.", n)
	t := s.Table("filter", "its rate", "fuse filter's rate", "bits a key", "fuse filter's bits", "build / fuse", "lookup / fuse", "lookup of absent keys / fuse")
	x := fuseContest{keys: numbers(n, 0), others: numbers(n, 1)}
	var rows []report.Row
	for _, f := range []func(stopwatch, fuseContest) []fuseResult{againstFuse[uint8], againstFuse[uint16]} {
		results := f(w, x)
		for _, r := range results {
			t.Row(r.name, report.Percent2(r.rate), report.Percent2(r.fuseRate), r.bits, r.fuseBits, r.build, r.present, r.absent)
			rows = append(rows, r.build.row(r.name, "build"), r.present.row(r.name, "lookup"), r.absent.row(r.name, "lookup of absent keys"))
		}
		if len(rows) == 6 {
			s.Short("at a rate of 1 in 256 a Bloom filter is built in %s of a binary fuse filter's time, answers for keys in %s of it, and takes %s bits a key where that takes %s.",
				report.Num(rows[0].At), report.Num(rows[1].At), report.Num(results[0].bits), report.Num(results[0].fuseBits))
		}
	}
	s.Rows("ratio", "Time of Bloom and cuckoo filters as a multiple of a binary fuse filter's of the same rate.", "time / binary fuse", rows)
}

// fuseContest is the keys of all contests, and those that are absent.
type fuseContest struct{ keys, others []uint64 }

// fuseResult is one of our filters beside a fuse filter.
type fuseResult struct {
	name                           string
	rate, fuseRate, bits, fuseBits float64
	build, present, absent         ratio
}

// againstFuse is for fingerprints of that type.
func againstFuse[T xorfilter.Unsigned](w stopwatch, x fuseContest) []fuseResult {
	bits := 8 * unsafe.Sizeof(*new(T))
	target := 1 / float64(uint64(1)<<bits)
	// A lookup compares with the eight slots of two buckets: three bits more.
	p := cuckoo.Params{Capacity: uint64(len(x.keys)), FingerprintBits: uint64(bits) + 3, Slots: 4, Variant: cuckoo.Tagged}
	var results []fuseResult
	for _, f := range []struct {
		name string
		make func() keyed
	}{
		{"Bloom", func() keyed {
			return bloomSketch{report.Must(bloom.New(bloom.Params{Capacity: uint64(len(x.keys)), FPP: target}))}
		}},
		{fmt.Sprintf("cuckoo, %d bits", p.FingerprintBits), func() keyed { return cuckooSketch{report.Must(cuckoo.New(p))} }},
	} {
		results = append(results, beside[T](w, x, fmt.Sprintf("%s, rate 2^-%d", f.name, bits), f.make))
	}
	return results
}

// beside compares one filter.
func beside[T xorfilter.Unsigned](w stopwatch, x fuseContest, name string, create func() keyed) fuseResult {
	var ours keyed
	var theirs *xorfilter.BinaryFuse[T]
	took := w.inTurn(name+", build", contender{name: "ours", run: func() {
		ours = create()
		addNumbers(ours, x.keys)
	}}, contender{name: "binary fuse", run: func() { theirs = report.Must(xorfilter.NewBinaryFuse[T](x.keys)) }})
	n := float64(len(x.keys))
	r := fuseResult{name: name, build: took[0].over(took[1]), bits: 8 * float64(len(ours.Blob())) / n,
		fuseBits: 8 * float64(unsafe.Sizeof(*new(T))) * float64(len(theirs.Fingerprints)) / n}
	for _, l := range []struct {
		what string
		keys []uint64
		to   *ratio
	}{{"lookup", x.keys, &r.present}, {"lookup of absent keys", x.others, &r.absent}} {
		took := w.inTurn(name+", "+l.what, contender{name: "ours", run: func() { askNumbers(ours, l.keys) }}, loop("binary fuse", func() {
			found := 0
			for _, k := range l.keys {
				if theirs.Contains(k) {
					found++
				}
			}
			keep(found)
		}))
		*l.to = took[0].over(took[1])
	}
	for _, k := range x.others {
		if theirs.Contains(k) {
			r.fuseRate += 1 / n
		}
	}
	hashed(x.others, func(h1s, h2s []uint64) {
		ours.ask(h1s, h2s)
		for _, found := range yes[:len(h1s)] {
			if found {
				r.rate += 1 / n
			}
		}
	})
	return r
}
