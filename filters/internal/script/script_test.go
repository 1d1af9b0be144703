package script

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

type note string

func (s note) Blob() []byte { return []byte(s) }

// A name that no sketch has is an error that lists the names, in every command. A golden file that does
// not exist is an error that says what writes it.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	sketches := Sketches[note]{"oak": "o", "elm": "e"}
	if _, err := sketches.Named("aok"); err == nil || !strings.Contains(err.Error(), `"aok"; there are elm, oak`) {
		t.Error(err)
	}
	decode := func(b []byte) (note, error) { return note(b), nil }
	golden1 := func(name string) error {
		_, err := golden(sketches, Args{Name: name, Values: map[string]string{"file": "v1.blob", "as": "old"}}, decode)
		return err
	}
	if err := golden1("aok"); err == nil || !strings.Contains(err.Error(), "aok") {
		t.Error(err)
	}
	if err := golden1("oak"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "-rewrite") {
		t.Error(err)
	}
	if err := os.MkdirAll("testdata/golden", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/golden/v1.blob", []byte("o"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := golden1("oak"); err != nil || sketches["old"] != "o" {
		t.Errorf("%v, read %q", err, sketches["old"])
	}
}

// An unknown command fails the script and lists the commands. So -rewrite does not write it down as
// expected.
func TestUnknownCommand(t *testing.T) {
	s, err := bloom.New(bloom.Params{})
	if err != nil {
		t.Fatal(err)
	}
	k := kit[bloom.Params, *bloom.Sketch, bloom.View]{bloom.Family, map[string]Command[*bloom.Sketch]{"shrink": nil}}
	failed := ""
	a := Args{Name: "oak", failed: func(why string) { failed = why }}
	if _, err := k.run(Sketches[*bloom.Sketch]{"oak": s}, &datadriven.TestData{Cmd: "contain"}, a); err != nil {
		t.Error(err)
	}
	for _, part := range []string{`"contain"`, "add", "contains", "shrink"} {
		if !strings.Contains(failed, part) {
			t.Errorf("%q does not name %s", failed, part)
		}
	}
}
