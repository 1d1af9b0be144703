package script

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Command runs a command of a script on sketch s and returns its output. If the command has the argument
// with, other is the sketch that it names, otherwise s. all has the sketches of the script.
type Command[S any] func(all Sketches[S], s, other S, a Args) (string, error)

// Keyed runs the scripts of a family of sketches of keys. It has these commands beside blob, golden and
// those of the family:
//
//	new NAME option=value ...   an empty sketch; gather: one that is built at once
//	add NAME [n=3]              the words of the input are keys, numbers where the
//	remove NAME [n=3]           sketch needs them by their values
//	union NAME with=OTHER
//	info NAME                   what the family tells of it
//	VERB NAME                   one of the family's questions: get, contains
func Keyed[P comparable, S keyed.Mergeable[S], V any](t *testing.T, f *keyed.Family[P, S, V], own map[string]Command[S]) {
	k := kit[P, S, V]{f, own}
	Run(t, f.Decode, k.run)
}

// kit runs scripts for a family. own has the commands that only this family has.
type kit[P comparable, S keyed.Mergeable[S], V any] struct {
	f   *keyed.Family[P, S, V]
	own map[string]Command[S]
}

func (k *kit[P, S, V]) run(sketches Sketches[S], d *datadriven.TestData, a Args) (string, error) {
	if d.Cmd == "new" || d.Cmd == "gather" {
		return k.make(sketches, d, a)
	}
	s, err := sketches.Named(a.Name)
	if err != nil {
		return "", err
	}
	other := s
	if a.Has("with") {
		if other, err = sketches.Named(a.Values["with"]); err != nil {
			return "", err
		}
	}
	if command, ok := k.own[d.Cmd]; ok {
		return command(sketches, s, other, a)
	}
	questions := k.f.Questions()
	if q := slices.IndexFunc(questions, func(q keyed.Question) bool { return q.Verb == d.Cmd }); q >= 0 {
		return k.query(s, questions[q].Kind, d.Input)
	}
	switch d.Cmd {
	case "add", "remove":
		return "", k.change(s, d, a)
	case "union":
		return "", s.Union(other)
	case "info":
		return k.info(s)
	}
	known := []string{"new", "gather", "add", "remove", "union", "info", "blob", "golden"}
	for _, q := range questions {
		known = append(known, q.Verb)
	}
	known = append(known, slices.Sorted(maps.Keys(k.own))...)
	a.failed(fmt.Sprintf("unknown command %q; there are %s", d.Cmd, strings.Join(known, ", ")))
	return "", nil
}

func (k *kit[P, S, V]) make(sketches Sketches[S], d *datadriven.TestData, a Args) (string, error) {
	settings, options := k.f.Settings(), k.f.Options()
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		text := a.Values[name]
		i := slices.IndexFunc(options, func(o sketch.Option) bool { return o.Name == name })
		if i < 0 {
			return "", fmt.Errorf("option %q is not known", name)
		}
		v, err := valueOf(options[i].Kind, text)
		if err != nil {
			return "", fmt.Errorf("option %s=%s: %w", name, text, err)
		}
		if err := settings.Set(i, v); err != nil {
			return "", err
		}
	}
	of := k.f.New
	if d.Cmd == "gather" {
		of = k.f.Gather
	}
	s, err := of(settings.Params().(P))
	if err != nil {
		return "", err
	}
	sketches[a.Name] = s
	words, err := k.f.Describe(s.Blob())
	return words + "\n", err
}

// valueOf parses the text of an option's value. An empty text sets a flag.
func valueOf(k sketch.Kind, text string) (v sketch.Value, err error) {
	switch k {
	case sketch.WholeKind:
		v.Whole, err = strconv.ParseUint(text, 0, 64)
	case sketch.NumberKind:
		v.Number, err = strconv.ParseFloat(text, 64)
	case sketch.FlagKind:
		v.Flag = text != "false"
	case sketch.TextKind:
		v.Text = text
	case sketch.RangeKind:
		lo, hi, _ := strings.Cut(text, ",")
		if v.Lo, err = strconv.ParseInt(lo, 0, 64); err == nil {
			v.Hi, err = strconv.ParseInt(hi, 0, 64)
		}
	default:
		err = fmt.Errorf("scripts cannot write %v", k)
	}
	return v, err
}

// keyOf returns a word as a key, with its class. If the sketch needs numbers as keys and the word is a
// number, the key is this number.
func keyOf(s keyed.Sketch, word string) ([]byte, key.Class) {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && keyed.ByValue(s) {
		return key.AppendInt64(nil, n), key.Int
	}
	return []byte(word), key.Text
}

func (k *kit[P, S, V]) change(s S, d *datadriven.TestData, a Args) error {
	change := k.f.AddKey
	if d.Cmd == "remove" {
		change = k.f.RemoveKey
	}
	for _, word := range strings.Fields(d.Input) {
		b, class := keyOf(s, word)
		if err := keyed.BaseOf(s).SetKeyClass(class); err != nil {
			return err
		}
		if err := change(s, b, a.Uint("n", 1)); err != nil {
			return err
		}
	}
	return nil
}

// query prints the results for the words of the input, from the BLOB of s.
func (k *kit[P, S, V]) query(s S, kind keyed.QuestionKind, input string) (string, error) {
	r := k.f.Reader()
	if err := r.Open(s.Blob()); err != nil {
		return "", err
	}
	if kind == keyed.OneOfAll {
		return fmt.Sprintln(r.Estimate()), nil
	}
	var out strings.Builder
	for _, word := range strings.Fields(input) {
		b, _ := keyOf(s, word)
		h1, h2 := key.Hash(keyed.BaseOf(s).Seed(), b)
		if kind == keyed.HowOften {
			n := []uint64{0}
			r.CountHashes(n, []uint64{h1}, []uint64{h2})
			fmt.Fprintf(&out, "%s %d\n", word, n[0])
			continue
		}
		is := []bool{false}
		r.ContainsHashes(is, []uint64{h1}, []uint64{h2})
		fmt.Fprintf(&out, "%s %v\n", word, is[0])
	}
	return out.String(), nil
}

func (k *kit[P, S, V]) info(s S) (string, error) {
	r := k.f.Reader()
	if err := r.Open(s.Blob()); err != nil {
		return "", err
	}
	var out strings.Builder
	values := r.Info(nil)
	for i, f := range k.f.InfoFields() {
		fmt.Fprintf(&out, "%s %v\n", f.Name, text(f.Kind, &values[i]))
	}
	return out.String(), nil
}

func text(k sketch.Kind, v *sketch.Value) any {
	switch {
	case v.Null:
		return "unknown"
	case k == sketch.NumberKind:
		return v.Number
	case k == sketch.FlagKind:
		return v.Flag
	case k == sketch.TextKind:
		return v.Text
	case k == sketch.WholesKind:
		return v.Wholes
	case k == sketch.SignedKind:
		return v.Lo
	}
	return v.Whole
}
