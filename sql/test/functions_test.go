package test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestExamples: every example runs unchanged and has a result.
func TestExamples(t *testing.T) {
	db := open(t)
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)") // an example changes it
	for _, f := range ccbfsql.Functions() {
		got, err := ask(db, f.Example)
		if err != nil {
			t.Errorf("%s: %s: %v", f.Name, f.Example, err)
		} else if got == "" || got == "<nil>" {
			t.Errorf("%s: %s: no answer", f.Name, f.Example)
		}
		if !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("%s: the example does not call it: %s", f.Name, f.Example)
		}
		if f.Summary == "" || f.Group == "" {
			t.Errorf("%s: no summary or no group", f.Name)
		}
	}
}

// TestEveryFunctionIsTested: every function is in a .test file, so that a family without one is
// noticed.
func TestEveryFunctionIsTested(t *testing.T) {
	files, err := filepath.Glob("*.test")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	for _, f := range ccbfsql.Functions() {
		if n := strings.Count(all.String(), f.Name+"("); n < 2 {
			t.Errorf("%s is called %d times in all *.test files", f.Name, n)
		}
	}
}

// optionCalls returns calls of functions, with %s for their options.
func optionCalls() map[string]string {
	calls := map[string]string{
		"ccbf_agg": "ccbf_agg(0.5, 0.5, 1, %s)", "ccbf_empty": "ccbf_empty(1, %s)",
		"ccbf_png": "ccbf_png(ccbf_agg(0.5, 0.5, 1), 0, 0, 1, 1, 9, 9, %s)",
	}
	for _, f := range ccbfsql.Functions() {
		switch {
		case calls[f.Name] != "":
		case f.Name == f.Group+"_agg" && len(f.Options) > 0:
			calls[f.Name] = f.Name + "(17, %s)"
		case f.Name == f.Group+"_empty":
			calls[f.Name] = f.Name + "(%s)"
		}
	}
	return calls
}

// TestRangesOfOptions: the range in an option's description is the true one. Values just outside
// are errors that state the range. Values at its ends, if they need little memory, are not.
func TestRangesOfOptions(t *testing.T) {
	db := open(t)
	calls := optionCalls()
	walked := 0
	for _, f := range ccbfsql.Functions() {
		call, ok := calls[f.Name]
		if !ok {
			continue
		}
		for _, o := range f.Options {
			beside := o.Beside
			if beside != "" {
				beside = ", " + beside
			}
			try := func(value string) error {
				_, err := ask(db, "SELECT octet_length("+fmt.Sprintf(call, "{"+o.Name+": "+value+beside+"}")+")")
				return err
			}
			outside, inside := values(t, &o)
			words := o.Values()
			switch {
			case o.Kind == sketch.WholesKind:
				words = "must " // for one element, or for their number
			case fromAnK.MatchString(o.Range):
				words = strings.TrimPrefix(o.Range, "from k ")
			case len(o.Choices) == 0 && o.Range != "":
				words = o.Range
			}
			for _, v := range outside {
				walked++
				switch err := try(v); {
				case err == nil:
					t.Errorf("%s: %s: %s is no error", f.Name, o.Name, v)
				case !strings.Contains(err.Error(), `option "`+o.Name+`" `) || !strings.Contains(err.Error(), words):
					t.Errorf("%s: %s: %s: %v\ndoes not say: %s", f.Name, o.Name, v, err, words)
				}
			}
			for _, v := range inside {
				if err := try(v); err != nil {
					t.Errorf("%s: %s: %s: %v", f.Name, o.Name, v, err)
				}
			}
		}
	}
	t.Logf("%d values outside", walked)
}

const decimal = `(\d+(?:\.\d+)?(?:e-?\d+)?)`

var (
	wholes    = regexp.MustCompile(`^from (\d+) to (\d+|2\^64-1)( of .*)?$`)
	between   = regexp.MustCompile(`^between ` + decimal + ` and ` + decimal + `$`)
	above     = regexp.MustCompile(`^above ` + decimal + ` and at most ` + decimal + `$`)
	below     = regexp.MustCompile(`^from ` + decimal + ` to below ` + decimal + `$`)
	fromTo    = regexp.MustCompile(`^from ` + decimal + ` to ` + decimal + `$`)
	powers    = regexp.MustCompile(`^a power of two from 2 to (\d+)$`)
	listed    = regexp.MustCompile(`^(\d+)(?:, \d+)* or (\d+)$`)
	fromAnK   = regexp.MustCompile(`^from k to (\d+)$`)
	layers    = regexp.MustCompile(`^from (\d+) to (\d+), 1 to (\d+) of them$`)
	cheapMost = big.NewInt(64)
)

func plus(text string, n int64) string {
	if text == "2^64-1" {
		text = "18446744073709551615"
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(text)
	}
	return i.Add(i, big.NewInt(n)).String()
}

// values returns values outside an option's range, and values at its ends. A range in other words
// must be added here.
func values(t *testing.T, o *sketch.Option) (outside, inside []string) {
	switch r := o.Range; {
	case len(o.Choices) > 0:
		for _, c := range o.Choices {
			inside = append(inside, "'"+c+"'", "'"+strings.ToUpper(c)+"'")
		}
		return []string{"'nonsense'", "''"}, inside
	case o.Kind == sketch.FlagKind:
		return nil, nil
	case o.Kind == sketch.WholeKind && r == "":
		return []string{"-1", "0.5", plus("2^64-1", 1), "'nan'::DOUBLE"}, []string{"0", "1"}
	case o.Kind == sketch.WholeKind && wholes.MatchString(r):
		ends := wholes.FindStringSubmatch(r)
		outside = []string{"-1", ends[1] + ".5", plus(ends[2], 1), "'inf'::DOUBLE"}
		if ends[1] != "0" {
			outside = append(outside, "0", plus(ends[1], -1))
		}
		inside = []string{ends[1]}
		if most, ok := new(big.Int).SetString(ends[2], 10); ok && most.Cmp(cheapMost) <= 0 {
			inside = append(inside, ends[2])
		}
		return outside, inside
	case fromAnK.MatchString(r):
		return []string{"0", "-1", "1", plus(fromAnK.FindStringSubmatch(r)[1], 1)}, []string{"5"}
	case powers.MatchString(r):
		most := powers.FindStringSubmatch(r)[1]
		return []string{"0", "1", "3", "-2", "2.5", plus(most, 1), plus(most, 64)}, []string{"2", most}
	case listed.MatchString(r):
		ends := listed.FindStringSubmatch(r)
		return []string{"0", "-2", plus(ends[1], -1), plus(ends[1], 1), plus(ends[2], 1)}, []string{ends[1], ends[2]}
	case between.MatchString(r):
		ends := between.FindStringSubmatch(r)
		return []string{ends[1], ends[2], "-1", "'nan'::DOUBLE", "'inf'::DOUBLE"}, []string{"0.5"}
	case above.MatchString(r):
		ends := above.FindStringSubmatch(r)
		return []string{ends[1], ends[2] + ".01", "-1", "'nan'::DOUBLE"}, []string{ends[2], "0.01"}
	case below.MatchString(r):
		ends := below.FindStringSubmatch(r)
		return []string{"0", ends[1] + " / 2", ends[2], "-1", "'nan'::DOUBLE"}, []string{"0.5"}
	case fromTo.MatchString(r):
		ends := fromTo.FindStringSubmatch(r)
		return []string{ends[1] + " - 0.01", ends[2] + ".01", "'nan'::DOUBLE", "-1", "'inf'::DOUBLE"}, []string{ends[1], ends[2]}
	case layers.MatchString(r):
		ends := layers.FindStringSubmatch(r)
		return []string{"[" + plus(ends[1], -1) + "]", "[" + plus(ends[2], 1) + "]", "[]", "[8" + strings.Repeat(", 8", 8) + "]"}, []string{"[" + ends[1] + "]", "[" + ends[2] + "]"}
	case r == "":
		return nil, nil // any value, or a range that depends on other options
	}
	t.Errorf("%s: no values are known for a range %q", o.Name, o.Range)
	return nil, nil
}
