package main

import (
	"bytes"
	"fmt"
)

// footer says what an extension was built for. DuckDB reads it at the end of the file, before it opens
// the file as a library.
type footer struct {
	extension string // The extension's own version.
	platform  string // Platform in DuckDB's spelling, such as linux_amd64.
}

// The footer is a custom section of WebAssembly, as DuckDB's extensions for browsers need it. It has a
// head, eight fields, and room for a signature.
const (
	head         = "\x00\x93\x04\x10duckdb_signature\x80\x04"
	abi          = "C_STRUCT" // DuckDB passes its C API as a struct
	capi         = "v1.2.0"   // oldest version of DuckDB's C API with which the library works
	fieldLen     = 32
	signatureLen = 256
	layout       = "4" // the last field: the version of the footer itself
	footerLen    = len(head) + 8*fieldLen + signatureLen
)

// isStamped reports whether a library ends with a footer.
func isStamped(library []byte) bool {
	return len(library) >= footerLen && bytes.HasPrefix(library[len(library)-footerLen:], []byte(head))
}

// bytes returns the footer as it is in the file, with zeros in place of a signature.
func (f footer) bytes() ([]byte, error) {
	out := make([]byte, footerLen)
	copy(out, head)
	for i, field := range []struct{ name, text string }{
		{"ABI", abi}, {"extension version", f.extension}, {"C API version", capi}, {"platform", f.platform}, {"layout", layout},
	} {
		if field.text == "" {
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
		copy(out[len(head)+(3+i)*fieldLen:], field.text) // the first three fields are empty
	}
	return out, nil
}
