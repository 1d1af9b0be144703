// Package footer is the end of a DuckDB extension's file: what DuckDB reads
// before it opens the file as a library.
package footer

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Footer says what an extension was built for.
type Footer struct {
	ABI       string // C_STRUCT: DuckDB passes its C API as a struct.
	Extension string // The extension's own version.
	API       string // Version of DuckDB's C API, such as v1.2.0.
	Platform  string // Platform in DuckDB's spelling, such as linux_amd64.
}

// The footer is a custom section of WebAssembly, as DuckDB's extensions for browsers need it. It has a
// head, eight fields, and room for a signature.
const (
	fieldLen     = 32
	fields       = 8
	signatureLen = 256
	layout       = "4" // the last field: the version of the footer itself
)

var head = []byte("\x00\x93\x04\x10duckdb_signature\x80\x04")

// Size is the length of a footer in bytes.
var Size = len(head) + fields*fieldLen + signatureLen

// ErrStamped is wrapped by the error for a file that has a footer already.
var ErrStamped = errors.New("it is stamped already")

// Bytes returns the footer as it is in the file, with zeros in place of a signature.
func (f Footer) Bytes() ([]byte, error) {
	out := bytes.Clone(head)
	for _, field := range []struct{ name, text string }{
		{}, {}, {},
		{"ABI", f.ABI}, {"extension version", f.Extension}, {"C API version", f.API}, {"platform", f.Platform},
		{"layout", layout},
	} {
		if field.name != "" && field.text == "" {
			return nil, fmt.Errorf("no %s", field.name)
		}
		// A field ends with at least one zero, for programs that read it as a C string. DuckDB does not
		// need the zero.
		if len(field.text) >= fieldLen {
			return nil, fmt.Errorf("%s %q is %d bytes long; the most is %d", field.name, field.text, len(field.text), fieldLen-1)
		}
		for _, c := range []byte(field.text) {
			if c <= ' ' || c > '~' {
				return nil, fmt.Errorf("%s %q: only printable ASCII without spaces can be written", field.name, field.text)
			}
		}
		out = append(out, field.text...)
		out = append(out, make([]byte, fieldLen-len(field.text))...)
	}
	return append(out, make([]byte, signatureLen)...), nil
}

// Read returns the footer of a file. ok is false if the file has none.
func Read(file []byte) (f Footer, ok bool) {
	if len(file) < Size {
		return f, false
	}
	end := file[len(file)-Size:]
	if !bytes.HasPrefix(end, head) {
		return f, false
	}
	at := func(i int) string {
		text, _, _ := bytes.Cut(end[len(head)+i*fieldLen:][:fieldLen], []byte{0})
		return string(text)
	}
	return Footer{ABI: at(3), Extension: at(4), API: at(5), Platform: at(6)}, true
}

// Stamp copies the library in to the file out, and appends a footer. The error wraps ErrStamped if
// the library already has a footer.
func Stamp(in, out string, f Footer) (err error) {
	library, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	if old, ok := Read(library); ok {
		return fmt.Errorf("%s: %w, for %s (version %s); stamp the library as the linker left it", in, ErrStamped, old.Platform, old.Extension)
	}
	end, err := f.Bytes()
	if err != nil {
		return err
	}
	whole := append(library, end...)
	if old, err := os.ReadFile(out); err == nil && bytes.Equal(old, whole) {
		return nil // its time stays, so make does not run again
	}
	// A new file replaces the old one. A process that has loaded the old one has it mapped, and must
	// not see it change.
	tmp, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // the first error is the one to tell
		}
	}()
	_, err = tmp.Write(whole)
	err = errors.Join(err, tmp.Chmod(0o755), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), out)
}
