//go:build amd64 || arm64 || 386 || loong64 || ppc64le || wasm

package cascade

// inPlace: words of a body are read and written as the machine has them. It is
// little-endian, as the format is, and takes words at any address, as the bytes of
// a BLOB need not be aligned.
const inPlace = true
