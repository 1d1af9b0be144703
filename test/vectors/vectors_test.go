package vectors

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the JSON files")

// TestVectors compares the files with Go's answers.
func TestVectors(t *testing.T) {
	files := map[string][]vector{}
	for _, b := range append(golden(t), sketches(t)...) {
		name, _, _ := strings.Cut(b.name, "/")
		files[name] = append(files[name], ask(t, b))
	}
	for name, vectors := range files {
		path, want := name+".json", layout(t, vectors)
		if *rewrite {
			check(t, os.WriteFile(path, want, 0o666))
		}
		got, err := os.ReadFile(path)
		check(t, err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what Go answers; -rewrite writes it", path)
		}
	}
}

// layout returns JSON with a line per question, so that a changed answer changes one line.
func layout(t *testing.T, vectors []vector) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, v := range vectors {
		questions := v.Questions
		v.Questions = nil
		head := strings.TrimSuffix(string(encode(t, v)), "null}")
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		b.WriteString(head + "[\n")
		for j, q := range questions {
			if j > 0 {
				b.WriteString(",\n")
			}
			b.Write(encode(t, q))
		}
		b.WriteString("\n]}")
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}
