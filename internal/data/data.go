// Package data finds the real data of test/data for tests and benchmarks, of
// this module and of those in its subfolders.
package data

import (
	"os"
	"path/filepath"
)

// Path returns the absolute path of a file of test/data, or of the folder itself if the name is empty. It
// searches from the working folder upwards, because go test works in the folder of the package, in any module.
// It panics outside of the repository.
func Path(file string) string {
	begin, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for at := begin; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, "test", "data")
		if _, err := os.Stat(filepath.Join(folder, "cut.sql")); err == nil {
			return filepath.Join(folder, file)
		}
		if at == filepath.Dir(at) {
			panic("data.Path: no test/data in " + begin + " or a folder above it; run it inside of the repository")
		}
	}
}
