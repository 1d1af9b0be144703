// Package data finds the real data of test/data for tests and benchmarks, of
// this module and of those in its subfolders.
package data

import (
	"fmt"
	"os"
	"path/filepath"
)

// failer has the methods of testing.TB that Path calls. So programs that measure can import this package
// without the package testing.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// Path returns the absolute path of a file of test/data. The test fails if the file does not exist.
func Path(t failer, file string) string {
	t.Helper()
	folder, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, file)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Folder returns the absolute path of test/data. It searches from the working folder upwards,
// because go test works in the folder of the package, in any module.
func Folder() (string, error) {
	begin, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := begin; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, "test", "data")
		if _, err := os.Stat(filepath.Join(folder, "cut.sql")); err == nil {
			return folder, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("data.Folder: no test/data in %s or a folder above it; run it inside of the repository", begin)
		}
	}
}
