// Package script runs the scripts in which a family's test shows its sketches and their bytes as text.
// They are files testdata/*.txt of package datadriven.
//
//	new s width=10 depth=2
//	----
//
//	blob s
//	----
//	00000000  cb 42 46 1a ...
//
// go test -rewrite writes the output into the scripts.
package script

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/cockroachdb/datadriven"
)

// Command runs a command of a script on sketch s and returns its output. If the command has the argument
// with, other is the sketch that it names, otherwise s. all has the sketches of the script by name.
type Command[S any] func(t *testing.T, d *datadriven.TestData, all map[string]S, s, other S) (string, error)

// Keyed runs the scripts of a family of sketches of keys. These are their commands beside own, those of the
// family alone. The first argument is the name of a sketch.
//
//	new NAME option=value ...   an empty sketch; gather: one that is built at once
//	add NAME [n=3]              the words of the input are keys, numbers where the
//	remove NAME [n=3]           sketch needs them by their values
//	union NAME with=OTHER
//	info NAME                   what the family tells of it
//	blob NAME                   its bytes
//	golden NAME file= as=OTHER  whether they are those of a file of testdata/golden, which is read as OTHER
//	VERB NAME                   one of the family's questions: get, contains
func Keyed[P comparable, S keyed.Mergeable[S], V any](t *testing.T, f *keyed.Family[P, S, V], own map[string]Command[S]) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			k := kit[P, S, V]{f, own, map[string]S{}}
			datadriven.RunTest(t, script, func(t *testing.T, d *datadriven.TestData) string {
				out, err := k.run(t, d)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

// kit runs a script of a family.
type kit[P comparable, S keyed.Mergeable[S], V any] struct {
	f   *keyed.Family[P, S, V]
	own map[string]Command[S]
	all map[string]S // sketches by name
}

func (k *kit[P, S, V]) run(t *testing.T, d *datadriven.TestData) (string, error) {
	name := d.CmdArgs[0].Key
	d.CmdArgs = d.CmdArgs[1:]
	if d.Cmd == "new" || d.Cmd == "gather" {
		return k.make(name, d)
	}
	with := name
	d.MaybeScanArgs(t, "with", &with)
	s, other := k.named(t, d, name), k.named(t, d, with)
	if command, ok := k.own[d.Cmd]; ok {
		return command(t, d, k.all, s, other)
	}
	questions := k.f.Questions()
	if q := slices.IndexFunc(questions, func(q keyed.Question) bool { return q.Verb == d.Cmd }); q >= 0 {
		return k.query(s, questions[q].Kind, d.Input)
	}
	switch d.Cmd {
	case "add":
		return "", k.change(t, s, d, k.f.AddKey)
	case "remove":
		return "", k.change(t, s, d, k.f.RemoveKey)
	case "union":
		return "", s.Union(other)
	case "info":
		return k.info(s)
	case "blob":
		return hex.Dump(s.Blob()), nil
	case "golden":
		return k.golden(t, d, s.Blob())
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return "", nil
}

// named returns the sketch with this name.
func (k *kit[P, S, V]) named(t *testing.T, d *datadriven.TestData, name string) S {
	s, ok := k.all[name]
	if !ok {
		d.Fatalf(t, "no sketch has the name %q", name)
	}
	return s
}

func (k *kit[P, S, V]) make(name string, d *datadriven.TestData) (string, error) {
	settings, options := k.f.Settings(), k.f.Options()
	for _, arg := range d.CmdArgs {
		i := slices.IndexFunc(options, func(o sketch.Option) bool { return o.Name == arg.Key })
		if i < 0 {
			return "", fmt.Errorf("option %q is not known", arg.Key)
		}
		v, err := valueOf(options[i].Kind, strings.Join(arg.Vals, ","))
		if err == nil {
			err = settings.Set(i, v)
		}
		if err != nil {
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
	k.all[name] = s
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
		_, err = fmt.Sscanf(text, "%d,%d", &v.Lo, &v.Hi)
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

// change adds or removes the words of the input, n times each.
func (k *kit[P, S, V]) change(t *testing.T, s S, d *datadriven.TestData, change func(s keyed.Sketch, b []byte, n uint64) error) error {
	n := uint64(1)
	d.MaybeScanArgs(t, "n", &n)
	for _, word := range strings.Fields(d.Input) {
		b, class := keyOf(s, word)
		if err := keyed.BaseOf(s).SetKeyClass(class); err != nil {
			return err
		}
		if err := change(s, b, n); err != nil {
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
	var out strings.Builder
	for _, word := range strings.Fields(input) {
		b, _ := keyOf(s, word)
		h1, h2 := key.Hash(keyed.BaseOf(s).Seed(), b)
		n, is := []uint64{0}, []bool{false}
		if kind == keyed.HowOften {
			r.CountHashes(n, []uint64{h1}, []uint64{h2})
			fmt.Fprintln(&out, word, n[0])
		} else {
			r.ContainsHashes(is, []uint64{h1}, []uint64{h2})
			fmt.Fprintln(&out, word, is[0])
		}
	}
	return out.String(), nil
}

func (k *kit[P, S, V]) info(s S) (string, error) {
	r := k.f.Reader()
	if err := r.Open(s.Blob()); err != nil {
		return "", err
	}
	var out strings.Builder
	for i, v := range r.Info(nil) {
		f := k.f.InfoFields()[i]
		value := map[sketch.Kind]any{
			sketch.WholeKind: v.Whole, sketch.NumberKind: v.Number, sketch.FlagKind: v.Flag, sketch.TextKind: v.Text,
			sketch.WholesKind: v.Wholes, sketch.SignedKind: v.Lo,
		}[f.Kind]
		if v.Null {
			value = "unknown"
		}
		fmt.Fprintln(&out, f.Name, value)
	}
	return out.String(), nil
}

// golden compares a BLOB with a golden file, whose sketch gets the name as.
func (k *kit[P, S, V]) golden(t *testing.T, d *datadriven.TestData, blob []byte) (string, error) {
	var file, as string
	d.ScanArgs(t, "file", &file)
	d.ScanArgs(t, "as", &as)
	old, err := Golden(file, blob)
	if err != nil {
		return "", err
	}
	s, err := k.f.Decode(old)
	if err != nil {
		return "", err
	}
	k.all[as] = s
	if !bytes.Equal(old, blob) {
		return fmt.Sprintf("%s differs\n%s", file, hex.Dump(old)), nil
	}
	return fmt.Sprintf("%d bytes, the same\n", len(old)), nil
}

// Golden returns the BLOB in a file of testdata/golden. With -rewrite it writes blob to a file that
// does not exist. It never changes a file, because the BLOBs of an older version must be readable
// forever.
func Golden(file string, blob []byte) ([]byte, error) {
	const folder = "testdata/golden"
	path := filepath.Join(folder, file)
	old, err := os.ReadFile(path)
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return old, err
	case !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(strings.TrimLeft(arg, "-"), "rewrite") }):
		return nil, fmt.Errorf("%w: go test -rewrite writes it", err)
	}
	return blob, errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(path, blob, 0o644))
}
