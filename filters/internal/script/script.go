// Package script runs the scripts in which a family's test shows its sketches
// and their bytes as text: testdata/*.txt, files of package datadriven.
//
//	new s width=10 depth=2
//	----
//
//	blob s
//	----
//	00000000  cb 42 46 1a ...
//
// go test -rewrite writes what comes out into the scripts.
package script

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Args are a command's arguments: the first without a value is the sketch's name.
type Args struct {
	Name   string
	Values map[string]string
}

// Has reports whether there is an argument of a name.
func (a Args) Has(name string) bool {
	_, ok := a.Values[name]
	return ok
}

// Uint is an argument that is a number, otherwise where there is none.
func (a Args) Uint(name string, otherwise uint64) uint64 {
	if !a.Has(name) {
		return otherwise
	}
	v, err := strconv.ParseUint(a.Values[name], 0, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// Int is Uint of a number with a sign.
func (a Args) Int(name string, otherwise int64) int64 {
	if !a.Has(name) {
		return otherwise
	}
	v, err := strconv.ParseInt(a.Values[name], 0, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// Float is an argument that is a number, 0 where there is none.
func (a Args) Float(name string) float64 {
	v, _ := strconv.ParseFloat(a.Values[name], 64)
	return v
}

// Run runs testdata/*.txt. Every script has sketches by name; run does a
// command and returns what it prints. The commands blob and golden are done
// here: the bytes of a sketch, and its comparison with a file of
// testdata/golden, whose sketch gets the name "as". Golden files are written
// only where there are none, because what an older version wrote must be read
// for ever.
func Run[S interface{ Blob() []byte }](
	t *testing.T, decode func(blob []byte) (S, error), run func(sketches map[string]S, d *datadriven.TestData, a Args) (string, error),
) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			sketches := map[string]S{}
			datadriven.RunTest(t, script, func(_ *testing.T, d *datadriven.TestData) string {
				a := argsOf(d)
				var out string
				var err error
				switch d.Cmd {
				case "blob":
					out = hex.Dump(sketches[a.Name].Blob())
				case "golden":
					out, err = golden(sketches, a, decode)
				default:
					out, err = run(sketches, d, a)
				}
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

func argsOf(d *datadriven.TestData) Args {
	a := Args{Values: map[string]string{}}
	for i, c := range d.CmdArgs {
		if i == 0 && len(c.Vals) == 0 {
			a.Name = c.Key
			continue
		}
		a.Values[c.Key] = strings.Join(c.Vals, ",")
	}
	return a
}

func golden[S interface{ Blob() []byte }](sketches map[string]S, a Args, decode func([]byte) (S, error)) (string, error) {
	file := filepath.Join("testdata", "golden", a.Values["file"])
	blob := sketches[a.Name].Blob()
	old, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && rewriting() {
		old, err = blob, os.WriteFile(file, blob, 0o644)
	}
	if err != nil {
		return "", err
	}
	s, err := decode(old)
	if err != nil {
		return "", err
	}
	sketches[a.Values["as"]] = s
	if !bytes.Equal(old, blob) {
		return fmt.Sprintf("%s differs\n%s", file, hex.Dump(old)), nil
	}
	return fmt.Sprintf("%d bytes, the same\n", len(old)), nil
}

func rewriting() bool {
	for _, arg := range os.Args {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), "rewrite") {
			return true
		}
	}
	return false
}
