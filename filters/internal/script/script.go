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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Args are the arguments of a command. Name is the first argument without a value: the name of a sketch.
type Args struct {
	Name   string
	Values map[string]string
	failed func(string)
}

// Has reports whether the command has an argument with this name.
func (a Args) Has(name string) bool {
	_, ok := a.Values[name]
	return ok
}

// Uint returns the argument with this name as a number. If there is none, it returns otherwise. An
// argument that is no number fails the script.
func (a Args) Uint(name string, otherwise uint64) uint64 {
	if !a.Has(name) {
		return otherwise
	}
	v, err := strconv.ParseUint(a.Values[name], 0, 64)
	a.check(name, err)
	return v
}

// Int is Uint for a number with a sign.
func (a Args) Int(name string, otherwise int64) int64 {
	if !a.Has(name) {
		return otherwise
	}
	v, err := strconv.ParseInt(a.Values[name], 0, 64)
	a.check(name, err)
	return v
}

func (a Args) check(name string, err error) {
	if err != nil {
		a.failed(fmt.Sprintf("%s=%s: %v", name, a.Values[name], err))
	}
}

// Sketches has the sketches of a script by name.
type Sketches[S any] map[string]S

// Named returns the sketch with this name, or an error that lists all names.
func (s Sketches[S]) Named(name string) (S, error) {
	if one, ok := s[name]; ok {
		return one, nil
	}
	var none S
	return none, fmt.Errorf("no sketch has the name %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(s)), ", "))
}

// Run runs testdata/*.txt. Every script has sketches by name. run does a command and returns its
// output. Run itself does two commands. blob prints the bytes of a sketch. golden compares it with a
// file of testdata/golden, whose sketch gets the name "as". Golden files are written only if there are
// none, because the BLOBs of an older version must be readable forever.
func Run[S interface{ Blob() []byte }](
	t *testing.T, decode func(blob []byte) (S, error), run func(sketches Sketches[S], d *datadriven.TestData, a Args) (string, error),
) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			sketches := Sketches[S]{}
			datadriven.RunTest(t, script, func(t *testing.T, d *datadriven.TestData) string {
				a := argsOf(d)
				a.failed = func(why string) { d.Fatalf(t, "%s", why) }
				var out string
				var err error
				switch d.Cmd {
				case "blob":
					var s S
					if s, err = sketches.Named(a.Name); err == nil {
						out = hex.Dump(s.Blob())
					}
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

func golden[S interface{ Blob() []byte }](sketches Sketches[S], a Args, decode func([]byte) (S, error)) (string, error) {
	s, err := sketches.Named(a.Name)
	if err != nil {
		return "", err
	}
	blob := s.Blob()
	old, err := Golden(a.Values["file"], blob)
	if err != nil {
		return "", err
	}
	if s, err = decode(old); err != nil {
		return "", err
	}
	sketches[a.Values["as"]] = s
	if !bytes.Equal(old, blob) {
		return fmt.Sprintf("%s differs\n%s", a.Values["file"], hex.Dump(old)), nil
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
	case !rewriting():
		return nil, fmt.Errorf("%w: go test -rewrite writes it", err)
	}
	return blob, errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(path, blob, 0o644))
}

func rewriting() bool {
	for _, arg := range os.Args {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), "rewrite") {
			return true
		}
	}
	return false
}
