package sketch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// eachSample calls f with the small sketches of all families.
func eachSample(t *testing.T, f func(family sketch.Family, s sketch.Sample)) {
	t.Helper()
	for _, family := range filters.Families() {
		samples, err := family.Samples()
		if err != nil || len(samples) == 0 {
			t.Errorf("%s: %d samples, %v", family.Name, len(samples), err)
		}
		for _, s := range samples {
			f(family, s)
		}
	}
}

func TestDescribe(t *testing.T) {
	eachSample(t, func(f sketch.Family, s sketch.Sample) {
		want := f.Name + " " + s.Words + ", "
		got, ok := sketch.Describe(filters.Families(), s.Blob)
		if size, is := strings.CutPrefix(got, want); !ok || !is || !strings.HasSuffix(size, "B") {
			t.Errorf("%s %s: %q, want %q and the size", f.Name, s.Name, got, want)
		}
		if got, ok := sketch.Describe(nil, s.Blob); ok {
			t.Errorf("%q without families", got)
		}
	})
	if got, ok := sketch.Describe(filters.Families(), []byte("no sketch")); ok {
		t.Errorf("%q of no sketch", got)
	}
}

// Numbers have commas, sizes two digits that count.
func TestWords(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 cells", 1: "1 cell", 999: "999 cells", 1234: "1,234 cells", 1234567: "1,234,567 cells"} {
		if got := sketch.Count(n, "cell"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDescribeDamaged checks that a damaged head neither panics nor takes long.
func TestDescribeDamaged(t *testing.T) {
	families := filters.Families()
	eachSample(t, func(f sketch.Family, s sketch.Sample) {
		for i := range min(len(s.Blob), 300) {
			sketch.Describe(families, s.Blob[:i])
			for bit := range 8 {
				damaged := slices.Clone(s.Blob)
				damaged[i] ^= 1 << bit
				if got, ok := sketch.Describe(families, damaged); ok && got == "" {
					t.Errorf("%s %s, byte %d: nothing said", f.Name, s.Name, i)
				}
			}
		}
	})
}

// Every family has a name of its own, in errors with the right article, and
// takes its own BLOBs and no others.
func TestFamilies(t *testing.T) {
	families := filters.Families()
	names := map[string]bool{}
	for _, f := range families {
		if names[f.Name] || f.ID.String() != f.Name || f.Title == "" || f.About == "" {
			t.Errorf("family %d: %+v", uint8(f.ID), f)
		}
		names[f.Name] = true
		// A name may be read as a word or letter by letter: "a bloom", "an hll".
		if vowel := strings.ContainsRune("aefhilmnorsxu", rune(f.Name[0])); f.Article != "a" && !vowel || f.Article != "a" && f.Article != "an" {
			t.Errorf("the article of %s is %q", f.Name, f.Article)
		}
	}
	eachSample(t, func(f sketch.Family, s sketch.Sample) {
		for _, other := range families {
			err := other.Check(s.Blob)
			if other.ID == f.ID {
				if err != nil {
					t.Errorf("%s %s: %v", f.Name, s.Name, err)
				}
				continue
			}
			if want := f.Article + " " + f.Name + " sketch, expected " + other.Article + " " + other.Name + " sketch"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want %s", f.Name, s.Name, err, want)
			}
		}
	})
}

// Decimals are as docs/FORMAT.md has them.
func TestFormatNumbers(t *testing.T) {
	has := conform.Format(t)
	for _, v := range []float64{0.001, 2.5, 1000, 1.0 / 3} {
		has(fmt.Sprintf("| %v | `% x` |\n", v, sketch.AppendFloat(nil, v)))
	}
}
