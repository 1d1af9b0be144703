// Package needs is about the versions of glibc that programs and libraries run
// with; packaging/glibc links them for old ones.
package needs

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Oldest is the oldest glibc that libraries and programs of this repository run with,
// that of 2012. DuckDB's own library needs 2.28.
var Oldest = Version{2, 17}

// Version is one of glibc.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare is negative where v is older than w.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// Needs is what a file asks of the system that it is loaded on.
type Needs struct {
	Libraries []string // that it names
	Glibc     Version  // the newest of which it needs a symbol
	Newest    []string // the symbols of that version
	Others    []string // versions of anything but glibc
}

// Read reads a program or library. A symbol that has no version in any
// library, as those of weak references, needs none.
func Read(path string) (Needs, error) {
	file, err := elf.Open(path)
	if err != nil {
		return Needs{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var n Needs
	if n.Libraries, err = file.ImportedLibraries(); err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	slices.Sort(n.Libraries)
	needed, err := file.DynamicVersionNeeds()
	if err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, library := range needed {
		for _, dep := range library.Needs {
			v, ok := parse(dep.Dep)
			switch {
			case !ok:
				n.Others = append(n.Others, dep.Dep)
			case v.Compare(n.Glibc) > 0:
				n.Glibc = v
			}
		}
	}
	slices.Sort(n.Others)
	n.Others = slices.Compact(n.Others)
	symbols, err := file.ImportedSymbols()
	if err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		if s.Version == "GLIBC_"+n.Glibc.String() {
			n.Newest = append(n.Newest, s.Name)
		}
	}
	return n, nil
}

// parse reads GLIBC_2.17 and GLIBC_2.2.5, of which the last number does not matter.
func parse(name string) (Version, bool) {
	text, ok := strings.CutPrefix(name, "GLIBC_")
	if !ok {
		return Version{}, false
	}
	numbers := append(strings.Split(text, "."), "0")
	major, err := strconv.Atoi(numbers[0])
	if err != nil {
		return Version{}, false // GLIBC_PRIVATE
	}
	minor, err := strconv.Atoi(numbers[1])
	return Version{major, minor}, err == nil
}
