package cms

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

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestScripts runs testdata/*.txt. go test ./filters/cms -rewrite writes what
// comes out into the scripts; golden BLOBs it writes only where there are
// none, because what an older version wrote must be read for ever.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			sketches := map[string]*Sketch{}
			datadriven.RunTest(t, script, func(t *testing.T, d *datadriven.TestData) string {
				out, err := run(sketches, d)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

// args are a command's arguments: the first without a value is the sketch's name.
type args struct {
	name string
	m    map[string]string
}

func (a args) uint(name string, otherwise uint64) uint64 {
	if s, ok := a.m[name]; ok {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			panic(err)
		}
		return v
	}
	return otherwise
}

func (a args) float(name string) float64 {
	v, _ := strconv.ParseFloat(a.m[name], 64)
	return v
}

func run(sketches map[string]*Sketch, d *datadriven.TestData) (string, error) {
	a := args{m: map[string]string{}}
	for i, c := range d.CmdArgs {
		if i == 0 && len(c.Vals) == 0 {
			a.name = c.Key
			continue
		}
		a.m[c.Key] = strings.Join(c.Vals, ",")
	}
	s := sketches[a.name]
	switch d.Cmd {
	case "new":
		_, conservative := a.m["conservative"]
		s, err := New(Params{
			Epsilon: a.float("epsilon"), Delta: a.float("delta"), Width: a.uint("width", 0), Depth: a.uint("depth", 0),
			Seed: a.uint("seed", 0), Conservative: conservative,
		})
		if err != nil {
			return "", err
		}
		sketches[a.name] = s
		return fmt.Sprintf("%d rows of %d\n", s.Depth(), s.Width()), nil
	case "add":
		if err := s.SetKeyClass(key.Text); err != nil {
			return "", err
		}
		for _, k := range strings.Fields(d.Input) {
			s.AddKey([]byte(k), a.uint("n", 1))
		}
		return "", nil
	case "remove":
		for _, k := range strings.Fields(d.Input) {
			if err := s.RemoveKey([]byte(k), a.uint("n", 1)); err != nil {
				return "", err
			}
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.m["with"]])
	case "join":
		hi, lo, err := JoinSize(s, sketches[a.m["with"]])
		return fmt.Sprintf("%d %d\n", hi, lo), err
	case "count":
		var out strings.Builder
		for _, k := range strings.Fields(d.Input) {
			fmt.Fprintf(&out, "%s %d\n", k, s.CountKey([]byte(k)))
		}
		return out.String(), nil
	case "info":
		v, err := NewView(s.Blob())
		if err != nil {
			return "", err
		}
		return strings.ReplaceAll(fmt.Sprintf("%+v\n", v.Info()), " ", "\n"), nil
	case "blob":
		return hex.Dump(s.Blob()), nil
	case "golden":
		return golden(sketches, a)
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

// golden compares a sketch's BLOB with a file of an earlier version, and gives
// the sketch that the file holds the name that it is to have.
func golden(sketches map[string]*Sketch, a args) (string, error) {
	file := filepath.Join("testdata", "golden", a.m["file"])
	blob := sketches[a.name].Blob()
	old, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && rewriting() {
		old, err = blob, os.WriteFile(file, blob, 0o644)
	}
	if err != nil {
		return "", err
	}
	s, err := Decode(old)
	if err != nil {
		return "", err
	}
	sketches[a.m["as"]] = s
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

// exampleBlob is the sketch of docs/FORMAT.md.
func exampleBlob(t *testing.T) []byte {
	s := mustNew(t, Params{Width: 8, Depth: 2, Seed: 42})
	if err := s.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	s.AddKey([]byte("oak"), 300)
	s.AddKey([]byte("elm"), 2)
	return s.Blob()
}

// The worked example of the documentation is what the code writes.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	blob := exampleBlob(t)
	if dump := hex.Dump(blob); !bytes.Contains(doc, []byte(dump)) {
		t.Errorf("docs/FORMAT.md does not have the example:\n%s", dump)
	}
	// Every number that the document claims about the example.
	v, err := NewView(blob)
	if err != nil {
		t.Fatal(err)
	}
	var claims strings.Builder
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		fmt.Fprintf(&claims, "| `%s` | %#016x | %#016x | %d | %d | %d |\n", k, h1, h2,
			position(h1, h2, 0, v.width), position(h1, h2, 1, v.width), v.Count(h1, h2))
	}
	if !bytes.Contains(doc, []byte(claims.String())) {
		t.Errorf("docs/FORMAT.md does not have the lines:\n%s", claims.String())
	}
	if b, err := sketch.Parse(blob); err != nil || len(b.Params) != paramsSize {
		t.Errorf("parameters of %d bytes, error %v", len(b.Params), err)
	}
}

// Keys as docs/FORMAT.md lists them.
func TestFormatKeys(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	for value, b := range map[string][]byte{
		"1":                          key.AppendInt64(nil, 1),
		"9223372036854775808":        key.AppendUint64(nil, 1<<63),
		"2.5 (DOUBLE)":               key.AppendFloat64(nil, 2.5),
		"'oak'":                      key.AppendBytes(nil, []byte("oak")),
		"true":                       key.AppendBool(nil, true),
		"DATE '1970-01-02'":          key.AppendDate(nil, 1),
		"TIME '00:00:01'":            key.AppendTime(nil, 1, key.Seconds),
		"TIMESTAMP '1970-01-02'":     key.AppendTimestamp(nil, 86400, key.Seconds),
		"TIMESTAMP_NS, 1 nanosecond": key.AppendTimestamp(nil, 1, key.Nanos),
		"UUID '00112233-4455-6677-8899-aabbccddeeff'": key.AppendUUID(nil, 0x0011223344556677, 0x8899aabbccddeeff),
		"2.50 (DECIMAL)":     key.AppendDecimal(nil, 250, 0, 2),
		"INTERVAL '1 month'": key.AppendInterval(nil, 1, 0, 0),
	} {
		if row := fmt.Sprintf("| %s | `%s` |\n", value, hex.EncodeToString(b)); !bytes.Contains(doc, []byte(row)) {
			t.Errorf("docs/FORMAT.md does not have: %s", row)
		}
	}
}
