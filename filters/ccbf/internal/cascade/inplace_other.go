//go:build !(amd64 || arm64 || 386 || loong64 || ppc64le || wasm)

package cascade

// inPlace: the machine has words in another order than the format, or only at
// aligned addresses. Counters are loaded and stored one by one, byte by byte.
const inPlace = false
