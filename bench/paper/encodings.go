package main

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

var encodingsOf = []sbf.Encoding{sbf.Plain, sbf.Elias, sbf.Steps, sbf.Index}

// encodings measures what counters take and how long a lookup is. Figures 10
// to 15 of the spectral paper.
func encodings(c report.Config, s *report.Section) {
	s.Short("%s; %s; %s; %s.", encodingBits(c, s), indexSize(c, s), lookupTimes(c, s), hashTable(c, s))
}

// logBits is the bound of figure 10: the bits of every counter, and nothing
// that tells one from the next.
func logBits(values []uint64) (n float64) {
	for _, v := range values {
		n += float64(bits.Len64(v))
	}
	return n
}

// shorter is what figure 10 has for a mean of so many occurrences.
var shorter = map[float64]string{1: "steps shorter than Elias", 100: "Elias shorter than steps"}

// printedBits are the lengths of a counter in the paper's Elias code and in the
// steps code that it prints, 0 and 10 for 0 and 1, and 11 before the Elias code
// of what is larger. Section 4.5.
func printedBits(v uint64) (elias, steps int) {
	length := func(n uint64) int {
		log := bits.Len64(n) - 1
		return log + 2*(bits.Len64(uint64(log+1))-1) + 1
	}
	if v < 2 {
		return length(v + 1), int(v) + 1
	}
	return length(v + 1), 2 + length(v)
}

func encodingBits(c report.Config, s *report.Section) (finding string) {
	seeds := report.Pick(c, 1, 2, 5)
	keys := report.Pick(c, 500, 5000, 20_000)
	means := []float64{1, 2, 3, 5, 10, 20, 50, 100}
	skews := []float64{0, 1}
	s.Text("**Bits per counter** in a BLOB (figure 10), everything included: the directory of Elias and steps (half a bit a counter) and the whole index. The bound is "+
		"the sum of the counters' own bits, ceil(log2(c+1)), with nothing that tells one counter from the next, divided by their number. Method ms, %d keys, k 5, gamma 0.7, %d seeds.", keys, seeds)
	t := s.Table("skew", "mean occurrences of a key", "bound", "plain", "elias", "steps", "index", "elias / bound", "steps / bound", "index / bound", "index in memory", "elias as printed, no directory", "steps as printed")
	var row []report.Panel
	stepsBetter, points, least, most := 0, 0, math.Inf(1), 0.0
	for _, skew := range skews {
		lines := append(report.Lines("", "plain", "elias", "steps", "index")[1:], report.Series{Label: "bound"})
		for _, avg := range means {
			all := report.Parallel(seeds, func(i int) []float64 {
				h := numbers(seedOf(i), 0, keys)
				data := zipfCounts(keys, int(avg*float64(keys)), skew)
				var out []float64
				var bound, memory, printedElias, printedSteps float64
				for _, e := range encodingsOf {
					sk := report.Must(sbf.New(sbf.Params{Capacity: uint64(keys), Encoding: e, Seed: seedOf(i)}))
					sk.AddHashes(h.h1, h.h2, data)
					v := report.Must(sbf.NewView(sk.Blob()))
					out = append(out, v.Info().CounterBits)
					m, _ := sk.Counters()
					bound = logBits(sk.Values()) / float64(m)
					printedElias, printedSteps = 0, 0
					for _, v := range sk.Values() {
						e, s := printedBits(v)
						printedElias += float64(e) / float64(m)
						printedSteps += float64(s) / float64(m)
					}
					if e == sbf.Index {
						memory = 8 * float64(sk.Bytes()) / float64(m)
					}
				}
				return append(out, bound, memory, printedElias, printedSteps)
			})
			by := transposed(all)
			mean := report.Column(by, report.Mean)
			plain, elias, steps, index, bound := mean[0], mean[1], mean[2], mean[3], mean[4]
			if points++; steps <= elias {
				stepsBetter++
			}
			least, most = min(least, steps/bound), max(most, steps/bound)
			cells := []any{fmt.Sprintf("%g", skew), fmt.Sprintf("%g", avg), report.Spread(by[4])}
			for _, of := range by[:4] {
				cells = append(cells, report.Spread(of))
			}
			t.Row(append(cells, elias/bound, steps/bound, index/bound, report.Spread(by[5]), report.Spread(by[6]), report.Spread(by[7]))...)
			for i := range lines {
				lines[i].At(avg, mean[i])
			}
			if published, there := shorter[avg]; there {
				counters := float64(keys) * spectralK / spectralGamma / 8
				s.Compare(fmt.Sprintf("bits per counter, mean %g, skew %g: elias; steps; both as printed; log of the counters (figure 10)", avg, skew), published).
					Paper(fmt.Sprintf("%s; %s; %s, %s; %s", report.Num(elias), report.Num(steps), report.Num(mean[6]), report.Num(mean[7]), report.Num(bound))).
					Defaults(report.Num(plain) + " (plain)").Bytes(bytesOf(int(plain*counters), int(steps*counters))).
					Note("the default is plain words, for lookups straight on the bytes")
			}
		}
		row = append(row, report.Panel{Title: fmt.Sprintf("skew %g", skew), X: "mean occurrences of a key", Y: "bits per counter", LogX: true, Series: lines})
	}
	row[0].Legend = report.TopLeft
	s.Text("That Elias codes win for larger counters is so for one fixed steps code, as the paper prints it (last columns). Ours is chosen out of eight for the counters at hand, and stays ahead. The index pays for access in constant time with 2 bits and more per counter.")
	finding = fmt.Sprintf("steps are shorter than Elias codes at %d of %d points and take %s to %s times the bound", stepsBetter, points, report.Num2(least), report.Num2(most))
	s.Figure("bits", "Bits per counter by mean occurrences (figure 10 of the paper).", row)
	return finding
}

func indexSize(c report.Config, s *report.Section) (finding string) {
	seeds := report.Pick(c, 1, 2, 4)
	sizes := report.Pick(c, []int{1000, 10_000}, []int{1000, 10_000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	s.Text("**Size of the string-array index** in memory (figure 13): n counters, empty and after 10 n random increments; N is the base array, counters and slack. Published, read from the text: about "+
		"1.5 N when empty, 2 N when filled, 2 to 2.5 N in the long run. %d seeds.", seeds)
	t := s.Table("counters n", "mean count", "base array N (bits per counter)", "of it slack", "index (bits per counter)", "index / N", "index / N, published", "all / N", "BLOB, no slack (bits per counter)")
	lines := report.Lines("empty", "mean count 10", "published, empty", "published, mean count 10")
	for i := range 2 {
		lines[2+i].Style, lines[2+i].Dashed, lines[2+i].Only = i, true, report.Line
	}
	type indexBits struct{ base, slack, index, vectors, blob float64 } // bits per counter
	var last [2]indexBits                                              // of the largest size
	for filled, name := range []string{"1.5", "2 to 2.5"} {
		for _, n := range sizes {
			all := report.Parallel(seeds, func(i int) (z indexBits) {
				sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: sbf.Index, Seed: seedOf(i)}))
				if filled == 1 {
					for from := 0; from < 10*n; from += 10_000 {
						h := numbers(seedOf(i), uint64(from), min(10_000, 10*n-from))
						sk.AddHashes(h.h1, h.h2, nil)
					}
				}
				parts, ok := sk.IndexParts()
				report.Require(ok, "an index of %d counters has no parts", n)
				v := report.Must(sbf.NewView(sk.Blob()))
				per := func(bits uint64) float64 { return float64(bits) / float64(n) }
				return indexBits{per(parts.Base()), per(parts.Slack), per(parts.Total() - parts.Base()), per(parts.Vectors), v.Info().CounterBits}
			})
			base, index := report.Column(all, func(z indexBits) float64 { return z.base }), report.Column(all, func(z indexBits) float64 { return z.index })
			beside := report.Mean(index) / report.Mean(base)
			t.Row(n, filled*10, report.Spread(base), report.Spread(report.Column(all, func(z indexBits) float64 { return z.slack })), report.Spread(index), beside, name, 1+beside,
				report.Spread(report.Column(all, func(z indexBits) float64 { return z.blob })))
			lines[filled].At(float64(n), beside)
			last[filled] = indexBits{base: report.Mean(base), index: report.Mean(index), vectors: report.MeanOf(all, func(z indexBits) float64 { return z.vectors })}
			lines[2+filled].At(float64(n), 1.5+0.5*float64(filled))
		}
	}
	s.Text("Empty, ours is larger beside N because N is smaller: a counter at 0 takes no bit, so that N is slack alone; in bits per counter the empty index is 2. " +
		"Filled, it is a fraction of the published size, with either reading of it (the index alone or with the base array).")
	n := sizes[len(sizes)-1]
	words := n // a mean of 10 leaves none above 255
	inIndex := func(filled int) int { return int((last[filled].base + last[filled].index) * float64(n) / 8) }
	s.Compare(fmt.Sprintf("string-array index beside its base array N, %d counters, all 0 (figure 13)", n), "1.5 N").Paper(report.Num(last[0].index/last[0].base)+" N").
		Defaults("0").Bytes(bytesOf(n, inIndex(0))).
		Worse(last[0].index > 1.5*last[0].base, "N is the smaller here: a counter at 0 takes no bit. In bits per counter the index takes "+report.Num(last[0].index))
	s.Compare("the same with a mean of 10 (figure 13)", "2 N, in the long run 2 to 2.5 N").Paper(report.Num(last[1].index/last[1].base) + " N").Defaults("0").
		Bytes(bytesOf(words, inIndex(1)))
	s.Compare("part of the index in offset vectors, all 0; mean of 10 (figure 14)", "almost none; much").
		Paper(report.Percent(last[0].vectors/last[0].index) + "; " + report.Percent(last[1].vectors/last[1].index)).Bytes(bytesOf(words, inIndex(1)))
	tight, _ := math.Lgamma(float64(n) + 1) // the sum of ln i
	s.Compare(fmt.Sprintf("bits beside a counter: keys of a hash table, m log2 m and sum of log2 i; index (figure 15, m = %d)", n), "index clearly less").
		Paper(fmt.Sprintf("%s, %s; %s", report.Num(math.Log2(float64(n))), report.Num(tight/math.Ln2/float64(n)), report.Num(last[1].index))).Defaults("0").
		Bytes(bytesOf(words, inIndex(1)))
	finding = fmt.Sprintf("the string-array index takes %s N beside its base array N at a mean count of 10 (published 2 to 2.5 N)", report.Num2(last[1].index/last[1].base))
	s.Figure("index", "Size of the index beside the base array N (figure 13 of the paper).", []report.Panel{{
		X: "counters", Y: "index / N", LogX: true, Legend: report.BottomRight, Series: lines,
	}})
	return finding
}

// lookupTimes compares a lookup of one counter in each encoding with plain
// words, in one run.
func lookupTimes(c report.Config, s *report.Section) (finding string) {
	sizes := report.Pick(c, []int{1000}, []int{1000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	rounds := report.Pick(c, 3, 7, 25)
	asked := report.Pick(c, 1<<12, 1<<17, 1<<20)
	s.Text("**Time** (figure 11): looking up one random counter of a BLOB (k = 1, hashing not included; mean count 10), and raising one in memory, as multiples of the same on plain words in the same run: "+
		"%d operations in pieces of 4,096, each piece's time the least of %d rounds. In memory Elias and steps are plain words too, and coded when a BLOB is written, so only the index has a time of its own for raising. "+
		"\"Over its start\" is a time over that with 1,000 counters; that of plain words is what caches cost anybody.", asked, rounds)
	t := s.Table("counters", "lookup: elias", "lookup: steps", "lookup: index", "index over its start", "plain over its start", "raise: index", "raise: index over its start", "build a counter: index over its start")
	lines := report.Lines("", "", "elias", "steps", "index")[2:]
	var first, last [4]float64
	for _, n := range sizes {
		var lookups, raises []func(hashes)
		dst := make([]uint64, pieceLen)
		h := numbers(0, 0, 10*n)
		for _, e := range encodingsOf {
			sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: e}))
			sk.AddHashes(h.h1, h.h2, nil)
			v := report.Must(sbf.NewView(sk.Blob()))
			lookups = append(lookups, func(h hashes) { v.CountHashes(dst[:h.len()], h.h1, h.h2) })
			if e == sbf.Plain || e == sbf.Index {
				raises = append(raises, func(h hashes) { sk.AddHashes(h.h1, h.h2, nil) })
			}
		}
		some := numbers(0, absent, asked)
		took := race(some, rounds, lookups...)
		// Each round raises what the one before has raised: few, so that counters
		// stay of about one length.
		raised := race(some.slice(0, min(asked, max(pieceLen, n))), min(rounds, 5), raises...)
		built := math.Inf(1)
		for range rounds {
			start := time.Now()
			report.Must(sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: sbf.Index}))
			built = min(built, time.Since(start).Seconds()/float64(n))
		}
		now := [4]float64{took[3], took[0], raised[1], built}
		if first[0] == 0 {
			first = now
		}
		for i := range last {
			last[i] = now[i] / first[i]
		}
		row := []any{n}
		for _, v := range []float64{took[1] / took[0], took[2] / took[0], took[3] / took[0], last[0], last[1], raised[1] / raised[0], last[2], last[3]} {
			row = append(row, report.Num2(v))
		}
		t.Row(row...)
		for i := range lines {
			lines[i].At(float64(n), took[i+1]/took[0])
		}
	}
	s.Compare(fmt.Sprintf("time of an operation with %d counters over that with 1,000: lookup; raising; building a counter (figure 11)", sizes[len(sizes)-1]), "1; 1; 1").
		Paper(report.Num2(last[0])+"; "+report.Num2(last[2])+"; "+report.Num2(last[3])).Defaults(report.Num2(last[1])+"; -; -").
		Worse(max(last[0], last[2], last[3]) > 1+timeNoise, "the larger array does not fit the caches, which costs plain words as much")
	finding = fmt.Sprintf("a lookup in it takes %s times as long at %d counters as at 1,000, where plain words take %s times", report.Num2(last[0]), sizes[len(sizes)-1], report.Num2(last[1]))
	s.Figure("time", "Time of a lookup as a multiple of that in as many plain words.", []report.Panel{{
		X: "counters", Y: "time / time in plain words", LogX: true, Legend: report.TopLeft, Series: lines,
	}})
	return finding
}

// hashTable is figure 12: a Spectral Bloom Filter of k 5 beside a hash table of
// the same keys, with as many counters as the table has room.
func hashTable(c report.Config, s *report.Section) (finding string) {
	sizes := report.Pick(c, []int{1000}, []int{1000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	rounds := report.Pick(c, 2, 5, 9)
	asked := report.Pick(c, 1<<12, 1<<16, 1<<20)
	s.Text("**Beside a hash table** (figure 12): time of raising and of looking up a key as a multiple of that in Go's map of 64-bit keys and counts, hashing included. As many keys as the size, "+
		"k 5, 8 counters for every 7 keys, as a full map has room; mean count 10; %d operations on keys of the table in random order, the least of %d rounds. \"Index\" is the paper's string-array index, \"plain\" our default.", asked, rounds)
	t := s.Table("keys", "raise: index", "raise: plain", "look up: index", "look up: plain")
	lines := report.Lines("raise: index", "raise: plain", "look up: index", "look up: plain")
	var last [4]float64
	var bytes [2]int
	for _, n := range sizes {
		r := random(0, 27)
		table := map[uint64]uint64{}
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64()
			table[keys[i]] = 10
		}
		some := hashes{make([]uint64, asked), make([]uint64, asked)}
		for i := range some.h1 {
			some.h1[i] = keys[r.IntN(n)]
		}
		raises := []func(hashes){func(h hashes) {
			for _, v := range h.h1 {
				table[v]++
			}
		}}
		found := uint64(0)
		lookups := []func(hashes){func(h hashes) {
			for _, v := range h.h1 {
				found += table[v]
			}
		}}
		h1, h2, tens := make([]uint64, max(n, pieceLen)), make([]uint64, max(n, pieceLen)), make([]uint64, n)
		for i := range tens {
			tens[i] = 10
		}
		for i, e := range []sbf.Encoding{sbf.Index, sbf.Plain} {
			sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n * 8 / 7), K: spectralK, Encoding: e}))
			key.HashUint64s(0, keys, h1, h2)
			sk.AddHashes(h1[:n], h2[:n], tens)
			bytes[1-i] = sk.Bytes()
			dst := make([]uint64, pieceLen)
			raises = append(raises, func(h hashes) {
				key.HashUint64s(0, h.h1, h1, h2)
				sk.AddHashes(h1[:h.len()], h2[:h.len()], nil)
			})
			lookups = append(lookups, func(h hashes) {
				key.HashUint64s(0, h.h1, h1, h2)
				sk.CountHashes(dst[:h.len()], h1[:h.len()], h2[:h.len()])
			})
		}
		read := race(some, rounds, lookups...)
		raised := race(some, rounds, raises...)
		last = [4]float64{raised[1] / raised[0], raised[2] / raised[0], read[1] / read[0], read[2] / read[0]}
		row := []any{n}
		for i, v := range last {
			row = append(row, report.Num2(v))
			lines[i].At(float64(n), v)
		}
		t.Row(row...)
	}
	n := sizes[len(sizes)-1]
	s.Compare(fmt.Sprintf("time over that in a hash table, %d keys: raise; look up (figure 12)", n), "about 2; about 2").Paper(report.Num2(last[0])+"; "+report.Num2(last[2])).
		Defaults(report.Num2(last[1])+"; "+report.Num2(last[3])).Bytes(bytesOf(bytes[0], bytes[1])).
		Worse(max(last[0], last[2]) > 2*(1+timeNoise), "index only: five counters are decoded one after the other, and Go's map of today is faster than a table of chains")
	finding = fmt.Sprintf("at %d keys a lookup takes %s times as long as in a hash table with the index, %s times with plain words (published about 2)", n, report.Num2(last[2]), report.Num2(last[3]))
	s.Figure("table", "Time as a multiple of that in a hash table (figure 12 of the paper).", []report.Panel{{
		X: "keys", Y: "time / time in a hash table", LogX: true, LogY: true, Legend: report.TopRight, Series: lines,
	}})
	return finding
}
