package pipeline

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// What is written are the sketches that SQL makes of the same points, exact or
// dense, each key once, whatever the format and the number of files.
func TestBuildGivesTheBytesOfTheWhole(t *testing.T) {
	visits := someVisits(1, 20_000)
	dir := t.TempDir()
	writeVisits(t, filepath.Join(dir, "a.parquet"), visits[:15_000])
	var text strings.Builder
	text.WriteString("\ufeffat,lat,more,lon\n")
	for _, v := range visits[15_000:] {
		text.WriteString(v.at.Format(time.RFC3339) + "," + format(v.lat) + ",\"x, y\"," + format(v.lon) + "\n")
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	must(w.Write([]byte(text.String())))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.csv.gz"), z.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]ccbf.Params{
		"exact":    {Res: 0.01},
		"standard": {Res: 0.01, Bytes: 512, Mode: ccbf.Standard},
		"dense":    {Res: 0.01, Bytes: 512, Mode: ccbf.Standard, Dense: true},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			o := options(filepath.Join(dir, "a.*"), filepath.Join(out, "v"))
			o.In = append(o.In, filepath.Join(dir, "b*"), filepath.Join(dir, "*.gz"))
			o.Sketch, o.Fanout = p, 2
			report, err := build(o)
			if err != nil {
				t.Fatal(err)
			}
			want := wanted(p, visits)
			same(t, stored(t, filepath.Join(out, "*.parquet")), want)
			size := int64(0)
			for _, b := range want {
				size += int64(len(b))
			}
			expect := Report{"files read": 2, "points read": 20_000, "sketches written": int64(len(want)), "bytes of sketches": size, "files written": 3}
			if !maps.Equal(report, expect) {
				t.Errorf("the report is %v, want %v", report, expect)
			}
			if got := files(t, out); len(got) != 3 {
				t.Errorf("files %v, want three", got)
			}
		})
	}
}

// Categories and weights are those of ccbf_agg.
func TestCategoriesAndWeights(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "p.csv")
	err := os.WriteFile(in, []byte("x,y,kind,n\n1.5,2.5,oak,3\n1.5,2.5,elm,1\n1.5,2.5,oak,0\n7,7,oak,18446744073709551615\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{In: []string{in}, Out: filepath.Join(dir, "t"), X: "x", Y: "y", Zoom: -1, Category: "kind", Weight: "n",
		Files: 1, Sketch: ccbf.Params{Res: 1}}
	if _, err := build(o); err != nil {
		t.Fatal(err)
	}
	c := must(ccbf.Params{Res: 1, Categories: true}.Config())
	b := ccbf.NewBuilder(c, nil)
	for _, p := range []struct {
		x    float64
		kind string
		n    uint64
	}{{1, "oak", 3}, {1, "elm", 1}, {7, "oak", 1<<64 - 1}} {
		y := p.x
		if p.x == 1 {
			y = 2
		}
		if err := b.Add(must(c.Grid.Cell(p.x, y)), []byte(p.kind), key.Text, p.n); err != nil {
			t.Fatal(err)
		}
	}
	same(t, stored(t, filepath.Join(dir, "*.parquet")), map[string][]byte{"": must(b.Sketch()).Blob()})
}

// A row that is no point goes aside with its reason; the others count.
func TestBadRows(t *testing.T) {
	dir := t.TempDir()
	rows := []struct{ text, reason string }{
		{"1,2,2018-10-01", ""},
		{",2,2018-10-01", "lon is NULL"},
		{"here,2,2018-10-01", `lon is not a number: "here"`},
		{"1,1e400,2018-10-01", "no cell at these coordinates: "},
		{"nan,2,2018-10-01", "no cell at these coordinates: "},
		{"190,2,2018-10-01", "no map tile at these coordinates: longitude 190"},
		{"1,2,", "at is NULL"},
		{"1,2,yesterday", `at is not a time: "yesterday"`},
		{"1,2", "not the 3 fields of the header: 2"},
		{"1,2,2018-10-01,4", "not the 3 fields of the header: 4"},
		{"1,2,2018-10", ""},
	}
	text := "lon,lat,at\n"
	for _, r := range rows {
		text += r.text + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "p.csv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := build(options(filepath.Join(dir, "p.csv"), filepath.Join(dir, "t")))
	if err != nil {
		t.Fatal(err)
	}
	if report["points read"] != 2 || report["rows skipped"] != 9 || report["skipped: no cell at these coordinates"] != 2 || report["skipped: not the 3 fields of the header"] != 2 {
		t.Errorf("the report is %v", report)
	}
	bad := must(filepath.Glob(filepath.Join(dir, "t-bad-*.csv")))
	if len(bad) != 1 {
		t.Fatalf("files of bad rows: %v, want one", bad)
	}
	got := string(must(os.ReadFile(bad[0])))
	for i, r := range rows {
		line := "p.csv," + format(float64(i+1)) + ","
		at := strings.Index(got, line)
		if r.reason == "" {
			if at >= 0 {
				t.Errorf("row %d is a point, and among the bad rows", i+1)
			}
			continue
		}
		if at < 0 || !strings.Contains(strings.ReplaceAll(got[at:], `""`, `"`), r.reason) {
			t.Errorf("row %d is not there with %q", i+1, r.reason)
		}
	}
	if n := strings.Count(got, "\n"); n != 10 {
		t.Errorf("%d lines, want a header and 9", n)
	}
}

// Another day is other files; compaction makes one sketch of each key's, the one
// that all points at once would have made.
func TestIncrementalAndCompact(t *testing.T) {
	for name, p := range map[string]ccbf.Params{"exact": {Res: 0.01}, "standard": {Res: 0.01, Bytes: 512, Mode: ccbf.Standard}} {
		t.Run(name, func(t *testing.T) {
			visits, dir := someVisits(2, 9000), t.TempDir()
			for i := range 3 {
				in := filepath.Join(dir, string(rune('a'+i))+".parquet")
				writeVisits(t, in, visits[i*3000:(i+1)*3000])
				o := options(in, filepath.Join(dir, "out", string(rune('a'+i))))
				o.Sketch = p
				must(build(o))
			}
			o := &Options{In: []string{filepath.Join(dir, "out", "*.parquet")}, Out: filepath.Join(dir, "compact", "v"), Files: 2}
			report := must(compact(o))
			same(t, stored(t, filepath.Join(dir, "compact", "*.parquet")), wanted(p, visits))
			if report["sketches read"] <= report["sketches written"] {
				t.Errorf("the report is %v", report)
			}
			o.Out = filepath.Join(dir, "out", "v")
			if _, err := compact(o); err == nil || !strings.Contains(err.Error(), "would count twice") {
				t.Errorf("compaction into its own input: %v", err)
			}
		})
	}
}

// A second run under the same name is refused, or takes the first one's place,
// also with another number of files.
func TestASecondRun(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "p.parquet"), filepath.Join(dir, "out")
	writeVisits(t, in, someVisits(3, 2000))
	must(build(options(in, filepath.Join(out, "v"))))
	writeVisits(t, in, someVisits(4, 1000))
	o := options(in, filepath.Join(out, "v"))
	o.Files = 2
	if _, err := build(o); err == nil || !strings.Contains(err.Error(), "-overwrite") {
		t.Errorf("a second run: %v", err)
	}
	o.Overwrite = true
	must(build(o))
	same(t, stored(t, filepath.Join(out, "*.parquet")), wanted(o.Sketch, someVisits(4, 1000)))
	if got := files(t, out); len(got) != 2 {
		t.Errorf("files %v, want two", got)
	}
	// Nothing in, nothing left.
	writeVisits(t, in, nil)
	must(build(o))
	if got := files(t, out); len(got) != 0 {
		t.Errorf("files %v after a run without points", got)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"-in is missing":         func(o *Options) { o.In = nil },
		"-out is missing":        func(o *Options) { o.Out = "" },
		"is a folder":            func(o *Options) { o.Out = "out/" },
		"is a glob":              func(o *Options) { o.Out = "out/*" },
		"-files is 0":            func(o *Options) { o.Files = 0 },
		"-zoom is 31":            func(o *Options) { o.Zoom = 31 },
		`-bucket is "week"`:      func(o *Options) { o.Bucket = "week" },
		`"quadkey" would be`:     func(o *Options) { o.Keys = []string{"quadkey"} },
		`"total" would be`:       func(o *Options) { o.Keys = []string{"total"} },
		"resolution 0 is not":    func(o *Options) { o.Sketch.Res = 0 },
		`option "k" is 99`:       func(o *Options) { o.Sketch.K = 99 },
		`option "totals" needs`:  func(o *Options) { o.Sketch.Totals = true },
		"no file matches":        func(o *Options) { o.In = []string{"nowhere/*.csv"} },
		"neither .parquet, .csv": func(o *Options) { o.In = []string{"options.go"} },
	} {
		o := options("nowhere/*.csv", filepath.Join(t.TempDir(), "v"))
		change(o)
		if _, err := build(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// Flags name the options of ccbf_agg, and are refused in its words.
func TestFlags(t *testing.T) {
	var o Options
	f := flag.NewFlagSet("ccbf-pipeline", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.Flags(f)
	err := f.Parse(strings.Fields("-in a.csv,b.csv -in c.csv -out o/x -key kind -zoom 9 -res 0.5 -mode standard -exact=false " +
		"-k 3 -layers 8,32 -counters 1024,64 -levels 5 -seed 7 -totals -category sort -weight n -overwrite -fanout 4 -files 2"))
	if err != nil {
		t.Fatal(err)
	}
	want := Options{In: []string{"a.csv", "b.csv", "c.csv"}, Out: "o/x", X: "lon", Y: "lat", Keys: []string{"kind"}, Zoom: 9, Bucket: "day",
		Category: "sort", Weight: "n", Files: 2, Fanout: 4, Overwrite: true,
		Sketch: ccbf.Params{Res: 0.5, Dense: true, K: 3, Mode: ccbf.Standard, Widths: []int{8, 32}, Counters: []uint64{1024, 64}, Levels: 5, Seed: 7, Totals: true}}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got %+v, want %+v", o, want)
	}
	if _, err := o.check(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"-mode=max", "-layers=8,x", "-exact=perhaps"} {
		if err := f.Parse([]string{wrong}); err == nil {
			t.Errorf("%s was accepted", wrong)
		}
	}
}

func TestKeysOfAllTexts(t *testing.T) {
	for _, texts := range [][]string{{}, {""}, {"", ""}, {"a", "bc"}, {"ab", "c"}, {strings.Repeat("x", 300), "\x00"}} {
		var k []byte
		for _, s := range texts {
			k = appendText(k, s)
		}
		k = appendNull(k)
		var got []string
		nulls := 0
		err := splitKey(k, len(texts)+1, func(_ int, text []byte, null bool) error {
			if null {
				nulls++
			} else {
				got = append(got, string(text))
			}
			return nil
		})
		if err != nil || nulls != 1 || !slices.Equal(got, texts) && len(texts) > 0 {
			t.Errorf("%q came as %q with %d NULLs, %v", texts, got, nulls, err)
		}
		for n := range k {
			if splitKey(k[:n], len(texts)+1, func(int, []byte, bool) error { return nil }) == nil {
				t.Errorf("%d of %d bytes were taken for a key", n, len(k))
			}
		}
	}
}
