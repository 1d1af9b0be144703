package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/ccbfsql/ccbfsql/beam/sketches"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// scaleSizes are the numbers of points that docs/SCALE.md is measured at: with
// CCBF_LONG=1 ten times as many as well.
func scaleSizes() []int {
	sizes := []int{1e5, 1e6, 1e7}
	if os.Getenv("CCBF_LONG") != "" {
		sizes = append(sizes, 1e8)
	}
	return sizes
}

// writeScale writes n points of 64 cities and 12 months, a file per 10 million.
func writeScale(t testing.TB, dir string, n int) {
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	var cities [64][2]float64
	for i := range cities {
		cities[i] = [2]float64{rng.Float64()*300 - 150, rng.Float64()*120 - 60}
	}
	for file := 0; n > 0; file++ {
		visits := make([]visit, min(n, 1e7))
		for i := range visits {
			c := cities[rng.IntN(len(cities))]
			visits[i] = visit{c[0] + rng.NormFloat64()*0.05, c[1] + rng.NormFloat64()*0.05,
				time.Date(2018, time.Month(1+rng.IntN(12)), 1, 0, 0, 0, 0, time.UTC)}
		}
		writeGroups(t, filepath.Join(dir, fmt.Sprintf("%03d.parquet", file)), visits, 122_880)
		n -= len(visits)
	}
}

// loop is what the pipeline does, in one goroutine and without Beam: the
// sketches of all keys, and how many bytes they have.
func loop(t testing.TB, o *Options, glob string) (keys int, bytes int64) {
	f := &readFn{Options: *o}
	if err := f.Setup(); err != nil {
		t.Fatal(err)
	}
	builders := map[string]*ccbf.Builder{}
	var zs []uint64
	emit := func(k []byte, p sketches.Points) {
		b := builders[string(k)]
		if b == nil {
			b = ccbf.NewBuilder(f.config, nil)
			builders[string(k)] = b
		}
		zs = append(zs[:0], make([]uint64, len(p.X))...)
		if f.config.Keys(zs, p.X, p.Y) < len(zs) {
			t.Fatal("a point far outside")
		}
		if err := b.AddKeys(zs); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range must(filepath.Glob(glob)) {
		err := f.read(context.Background(), Piece{name, -1}, func(b *block) error {
			f.group(b, emit)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range builders {
		bytes += int64(len(must(b.Sketch()).Blob()))
	}
	return len(builders), bytes
}

// peakOf runs f and returns how much more memory Go's heap had at most, live or
// not yet collected, than before.
func peakOf(f func()) uint64 {
	heap := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	before, peak := heap(), uint64(0)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				peak = max(peak, heap())
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return peak - min(peak, before)
}

// livePeakOf runs f and returns how much more memory was live at most than before, as
// the collections of garbage found it meanwhile, and in how many of them it looked. When
// they run follows from what is allocated.
func livePeakOf(f func()) (peak uint64, looked int) {
	live := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	before := live()
	var mu sync.Mutex
	done := false
	var wait func()
	wait = func() {
		g := new([32]byte) // so many that nothing else lies beside them
		runtime.AddCleanup(g, func(struct{}) {
			mu.Lock()
			defer mu.Unlock()
			if !done {
				peak = max(peak, live())
				looked++
				wait()
			}
		}, struct{}{})
	}
	wait()
	f()
	mu.Lock()
	defer mu.Unlock()
	done = true
	return peak - min(peak, before), looked
}

// timeOf is how long f takes, and how much of the processors: the figure to
// compare where other programs run as well.
func timeOf(f func()) (wall, cpu float64) {
	used := func() float64 {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	begin, before := time.Now(), used()
	f()
	return time.Since(begin).Seconds(), used() - before
}

// scaleForms are the sketches that docs/SCALE.md is about.
var scaleForms = map[string]ccbf.Params{
	"exact": {Res: 0.001},
	"dense": {Res: 0.001, Bytes: 65536, Mode: ccbf.Standard, Dense: true},
}

// BenchmarkScale are the figures of docs/SCALE.md: the pipeline on Prism beside
// the loop, from files to files.
//
//	go test ./internal/pipeline -run '^$' -bench Scale -benchtime 1x
func BenchmarkScale(b *testing.B) {
	type figures struct{ prism, loop, prismCPU, loopCPU, n float64 }
	last := map[string]figures{}
	for _, n := range scaleSizes() {
		in := b.TempDir()
		writeScale(b, in, n)
		for name, p := range scaleForms {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				glob := filepath.Join(in, "*.parquet")
				var t figures
				var heap uint64
				var keys int
				var bytes int64
				for b.Loop() {
					o := options(glob, filepath.Join(b.TempDir(), "v"))
					o.Sketch = p
					t.prism, t.prismCPU = timeOf(func() { heap = peakOf(func() { must(build(o)) }) })
					t.loop, t.loopCPU = timeOf(func() { keys, bytes = loop(b, o, glob) })
				}
				t.n = float64(n)
				b.ReportMetric(t.prism, "prism-s")
				b.ReportMetric(t.loop, "loop-s")
				b.ReportMetric(t.prismCPU, "prism-cpu-s")
				b.ReportMetric(t.loopCPU, "loop-cpu-s")
				b.ReportMetric(float64(heap)/1e6, "peak-MB")
				b.ReportMetric(float64(bytes)/1e6, "sketches-MB")
				b.ReportMetric(float64(keys), "keys")
				if w, ok := last[name]; ok { // what is constant cancels out
					b.ReportMetric((t.loop-w.loop)/(t.prism-w.prism), "ratio")
					b.ReportMetric((t.loopCPU-w.loopCPU)/(t.prismCPU-w.prismCPU), "cpu-ratio")
					b.ReportMetric(1e9*(t.prismCPU-w.prismCPU)/(t.n-w.n), "prism-cpu-ns/point")
				}
				last[name] = t
			})
		}
	}
}

// Memory follows the sketches, not the points: ten times as many points of the
// same keys in sketches of constant size take no more than a worker's own share.
func TestMemoryFollowsTheSketches(t *testing.T) {
	small, large := 300_000, 4_000_000
	if os.Getenv("CCBF_LONG") != "" {
		small, large = 1_000_000, 10_000_000
	}
	// One worker, and little garbage.
	*jobopts.Experiments = "prism_disable_sdf_split"
	percent := debug.SetGCPercent(10)
	defer func() {
		*jobopts.Experiments = ""
		debug.SetGCPercent(percent)
	}()
	peak := func(n int) (uint64, int) {
		in := t.TempDir()
		writeScale(t, in, n)
		o := options(filepath.Join(in, "*.parquet"), filepath.Join(t.TempDir(), "v"))
		o.Sketch, o.Zoom = ccbf.Params{Res: 0.001, Bytes: 4096, Mode: ccbf.Standard, Dense: true}, 0
		return livePeakOf(func() { must(build(o)) })
	}
	a, looked := peak(small)
	b, lookedAgain := peak(large)
	t.Logf("%d points: %.0f MB at most in %d collections; %d points: %.0f MB in %d", small, float64(a)/1e6, looked, large, float64(b)/1e6, lookedAgain)
	if looked < 5 || lookedAgain < 5 {
		t.Errorf("looked at the memory in %d and %d collections: too seldom to say anything", looked, lookedAgain)
	}
	// What a row group takes on its way: its columns in Arrow and as a block, a
	// time.Time of 24 bytes among them, and the points sorted by key. Three times, as
	// one is read while another is counted, and the one before may not have been collected.
	piece := uint64(3 * blockRows * (3*8 + 2*8 + 24 + 4 + 2*8))
	if points := uint64(large-small) * 16; b > a+piece || piece >= points {
		t.Errorf("%d bytes more with many times the points, want at most %d; the points alone are %d", b-a, piece, points)
	}
}

// BenchmarkShuffle are the bytes that workers send each other for the crimes of
// the United Kingdom by month and tile, when 1 to 64 bundles read them, in the
// order of the file, which is one of places, and shuffled: sketches, beside the
// points themselves (two DOUBLEs) and exact counts (a cell and its count), all of
// them with their key.
func BenchmarkShuffle(b *testing.B) {
	type point struct {
		key  string
		cell grid.Cell
	}
	c := must(ccbf.Params{Res: 0.001}.Config())
	var points []point
	ukTruth(b, ukCrime(b), func(month string, lon, lat float64) {
		cell := must(c.Grid.Cell(lon, lat))
		points = append(points, point{ukKey(month, c.Grid, cell), cell})
	})
	for _, order := range []string{"file", "shuffled"} {
		if order == "shuffled" {
			rand.New(rand.NewPCG(8, 8)).Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		}
		for _, bundles := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", order, bundles), func(b *testing.B) {
				var sketched, counted, raw int
				for b.Loop() {
					sketched, counted, raw = 0, 0, 0
					for i := range bundles {
						builders, cells := map[string]*ccbf.Builder{}, map[point]bool{}
						for _, p := range points[i*len(points)/bundles : (i+1)*len(points)/bundles] {
							raw += len(p.key) + 16
							if !cells[p] {
								cells[p] = true
								counted += len(p.key) + 24
							}
							if builders[p.key] == nil {
								builders[p.key] = ccbf.NewBuilder(c, nil)
							}
							if err := builders[p.key].Add(p.cell, nil, 0, 1); err != nil {
								b.Fatal(err)
							}
						}
						for k, s := range builders {
							sketched += len(k) + len(must(s.Sketch()).Blob())
						}
					}
				}
				b.ReportMetric(float64(sketched)/1e6, "sketches-MB")
				b.ReportMetric(float64(counted)/1e6, "counts-MB")
				b.ReportMetric(float64(raw)/1e6, "points-MB")
			})
		}
	}
}
