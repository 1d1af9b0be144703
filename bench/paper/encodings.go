package main

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

var encodingsOf = []sbf.Encoding{sbf.Plain, sbf.Elias, sbf.Steps, sbf.Index}

// encodings measures what counters take and how long a lookup is. Figures 10,
// 11 and 13 of the spectral paper.
func encodings(c config, s *section) error {
	bits, err := encodingBits(c, s)
	if err != nil {
		return err
	}
	size, err := indexSize(c, s)
	if err != nil {
		return err
	}
	time, err := lookupTimes(c, s)
	s.short("%s; %s; %s.", bits, size, time)
	return err
}

// logBits is the bound of figure 10: the bits of every counter, and nothing
// that tells one from the next.
func logBits(values []uint64) (n float64) {
	for _, v := range values {
		n += float64(bits.Len64(v))
	}
	return n
}

func encodingBits(c config, s *section) (finding string, err error) {
	seeds := pick(c, 1, 2, 5)
	keys := pick(c, 500, 5000, 20_000)
	means := []float64{1, 2, 3, 5, 10, 20, 50, 100}
	skews := []float64{0, 1}
	s.text("**Bits per counter** in a BLOB (figure 10), everything included: the directory of Elias and steps (half a bit a counter) and the whole index. The bound is "+
		"the sum of the counters' own bits, ceil(log2(c+1)), with nothing that tells one counter from the next, divided by their number. Method ms, %d keys, k 5, gamma 0.7, %d seeds. The paper's claims: "+
		"steps are shorter than Elias codes for a mean near 1, Elias codes for larger ones.", keys, seeds)
	t := s.table("skew", "mean occurrences of a key", "bound", "plain", "elias", "steps", "index", "elias / bound", "steps / bound", "index / bound", "index in memory")
	var row []panel
	stepsBetter, points, least, most := 0, 0, math.Inf(1), 0.0
	for _, skew := range skews {
		lines := make([]series, len(encodingsOf)+1)
		for i, e := range encodingsOf {
			lines[i] = series{label: e.String(), style: i + 1}
		}
		lines[len(encodingsOf)] = series{label: "bound", style: 0}
		for _, avg := range means {
			all, err := parallel(seeds, func(i int) ([]float64, error) {
				h := numbers(seedOf(i), 0, keys)
				data := zipfCounts(keys, int(avg*float64(keys)), skew)
				var out []float64
				var bound, memory float64
				for _, e := range encodingsOf {
					sk, err := sbf.New(sbf.Params{Capacity: uint64(keys), Encoding: e, Seed: seedOf(i)})
					if err != nil {
						return nil, err
					}
					sk.AddHashes(h.h1, h.h2, data)
					v, err := sbf.NewView(sk.Blob())
					if err != nil {
						return nil, err
					}
					out = append(out, v.Info().CounterBits)
					m, _ := sk.Counters()
					bound = logBits(sk.Values()) / float64(m)
					if e == sbf.Index {
						memory = 8 * float64(sk.Bytes()) / float64(m)
					}
				}
				return append(out, bound, memory), nil
			})
			if err != nil {
				return "", err
			}
			by := transposed(all)
			plain, elias, steps, index, bound, memory := by[0], by[1], by[2], by[3], by[4], by[5]
			if points++; mean(steps) <= mean(elias) {
				stepsBetter++
			}
			least, most = math.Min(least, mean(steps)/mean(bound)), math.Max(most, mean(steps)/mean(bound))
			t.row(fmt.Sprintf("%g", skew), fmt.Sprintf("%g", avg), spread(bound), spread(plain), spread(elias), spread(steps), spread(index),
				mean(elias)/mean(bound), mean(steps)/mean(bound), mean(index)/mean(bound), spread(memory))
			for i := range lines {
				lines[i].x, lines[i].y = append(lines[i].x, avg), append(lines[i].y, mean(by[i]))
			}
		}
		p := panel{title: fmt.Sprintf("skew %g", skew), x: "mean occurrences of a key", y: "bits per counter", logX: true, series: lines}
		if skew == 0 {
			p.legend = topLeft
		}
		row = append(row, p)
	}
	s.text("That Elias codes win for larger counters is so for one fixed steps code. Ours is chosen out of eight for the counters at hand, and stays ahead. The index pays for access in constant time with 2 bits and more per counter.")
	finding = fmt.Sprintf("steps are shorter than Elias codes at %d of %d points and take %s to %s times the bound", stepsBetter, points, num2(least), num2(most))
	return finding, s.figure("bits", "Bits per counter by mean occurrences (figure 10 of the paper).", row)
}

func indexSize(c config, s *section) (finding string, err error) {
	seeds := pick(c, 1, 2, 4)
	sizes := pick(c, []int{1000, 10_000}, []int{1000, 10_000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	s.text("**Size of the string-array index** in memory (figure 13): n counters, empty and after 10 n random increments; N is the base array, counters and slack. Published, read from the text: about "+
		"1.5 N when empty, 2 N when filled, 2 to 2.5 N in the long run. %d seeds.", seeds)
	t := s.table("counters n", "mean count", "base array N (bits per counter)", "of it slack", "index (bits per counter)", "index / N", "index / N, published", "all / N", "BLOB, no slack (bits per counter)")
	ratio := [2]series{{label: "empty", style: 0}, {label: "mean count 10", style: 1}}
	published := [2]series{{label: "published, empty", style: 0, dashed: true, only: line}, {label: "published, mean count 10", style: 1, dashed: true, only: line}}
	type indexBits struct{ base, slack, index, blob float64 } // bits per counter
	for filled, name := range []string{"1.5", "2 to 2.5"} {
		for _, n := range sizes {
			all, err := parallel(seeds, func(i int) (z indexBits, err error) {
				sk, err := sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: sbf.Index, Seed: seedOf(i)})
				if err != nil {
					return z, err
				}
				if filled == 1 {
					for from := 0; from < 10*n; from += 10_000 {
						h := numbers(seedOf(i), uint64(from), min(10_000, 10*n-from))
						sk.AddHashes(h.h1, h.h2, nil)
					}
				}
				parts, ok := sk.IndexParts()
				if !ok {
					return z, fmt.Errorf("an index of %d counters has no parts", n)
				}
				v, err := sbf.NewView(sk.Blob())
				if err != nil {
					return z, err
				}
				per := func(bits uint64) float64 { return float64(bits) / float64(n) }
				return indexBits{per(parts.Base()), per(parts.Slack), per(parts.Total() - parts.Base()), v.Info().CounterBits}, nil
			})
			if err != nil {
				return "", err
			}
			base, index := column(all, func(z indexBits) float64 { return z.base }), column(all, func(z indexBits) float64 { return z.index })
			beside := mean(index) / mean(base)
			t.row(n, filled*10, spread(base), spread(column(all, func(z indexBits) float64 { return z.slack })), spread(index), beside, name, 1+beside,
				spread(column(all, func(z indexBits) float64 { return z.blob })))
			ratio[filled].x, ratio[filled].y = append(ratio[filled].x, float64(n)), append(ratio[filled].y, beside)
			published[filled].x, published[filled].y = append(published[filled].x, float64(n)), append(published[filled].y, 1.5+0.5*float64(filled))
		}
	}
	s.text("Empty, ours is larger beside N because N is smaller: a counter at 0 takes no bit, so that N is slack alone; in bits per counter the empty index is 2. " +
		"Filled, it is a fraction of the published size, with either reading of it (the index alone or with the base array).")
	last := len(ratio[1].y) - 1
	finding = fmt.Sprintf("the string-array index takes %s N beside its base array N at a mean count of 10 (published 2 to 2.5 N)", num2(ratio[1].y[last]))
	return finding, s.figure("index", "Size of the index beside the base array N (figure 13 of the paper).", []panel{{
		x: "counters", y: "index / N", logX: true, legend: bottomRight, series: []series{ratio[0], ratio[1], published[0], published[1]},
	}})
}

// lookupTimes compares a lookup of one counter in each encoding with plain
// words, in one run.
func lookupTimes(c config, s *section) (finding string, err error) {
	sizes := pick(c, []int{1000}, []int{1000, 10_000, 100_000, 1_000_000}, []int{1000, 10_000, 100_000, 1_000_000})
	rounds := pick(c, 3, 7, 25)
	asked := pick(c, 1<<12, 1<<17, 1<<20)
	s.text("**Time** (figure 11): looking up one random counter of a BLOB (k = 1, hashing not included; mean count 10), and raising one in memory, as multiples of the same on plain words in the same run: "+
		"%d operations in pieces of 4,096, each piece's time the least of %d rounds. In memory Elias and steps are plain words too, and coded when a BLOB is written, so only the index has a time of its own for raising. "+
		"\"Index over its start\" is the index's own time at that size over its time at 1,000 counters, \"plain over its start\" the same for plain words: what caches cost anybody. "+
		"The paper's times are constant from 1,000 to 1,000,000 counters.", asked, rounds)
	t := s.table("counters", "lookup: elias", "lookup: steps", "lookup: index", "index over its start", "plain over its start", "raise: index", "raise: index over its start")
	lines := make([]series, len(encodingsOf)-1)
	for i, e := range encodingsOf[1:] {
		lines[i] = series{label: e.String(), style: i + 2}
	}
	var first, last [3]float64
	for _, n := range sizes {
		var lookups, raises []func(hashes)
		dst := make([]uint64, pieceLen)
		h := numbers(0, 0, 10*n)
		for _, e := range encodingsOf {
			sk, err := sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: e})
			if err != nil {
				return "", err
			}
			sk.AddHashes(h.h1, h.h2, nil)
			v, err := sbf.NewView(sk.Blob())
			if err != nil {
				return "", err
			}
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
		now := [3]float64{took[3], took[0], raised[1]}
		if first[0] == 0 {
			first = now
		}
		for i := range last {
			last[i] = now[i] / first[i]
		}
		t.row(n, num2(took[1]/took[0]), num2(took[2]/took[0]), num2(took[3]/took[0]), num2(now[0]/first[0]), num2(now[1]/first[1]), num2(raised[1]/raised[0]), num2(now[2]/first[2]))
		for i := range lines {
			lines[i].x, lines[i].y = append(lines[i].x, float64(n)), append(lines[i].y, took[i+1]/took[0])
		}
	}
	finding = fmt.Sprintf("a lookup in it takes %s times as long at %d counters as at 1,000, where plain words take %s times", num2(last[0]), sizes[len(sizes)-1], num2(last[1]))
	return finding, s.figure("time", "Time of a lookup as a multiple of that in as many plain words.", []panel{{
		x: "counters", y: "time / time in plain words", logX: true, legend: topLeft, series: lines,
	}})
}
