// Package needs reads which version of glibc a program or library needs. packaging/glibc links them
// for old versions.
package needs

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
)

// Oldest is the oldest supported glibc, released in 2012. DuckDB's own library needs 2.28.
var Oldest = Version{2, 17}

// Version is a version of glibc.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare returns a negative number if v is older than w, 0 if they are equal, and a positive
// number otherwise.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// Needs describes what a program or library needs from its system.
type Needs struct {
	Libraries []string // Dynamic libraries that the program names.
	Glibc     Version  // Newest version of glibc of which the program needs a symbol.
	Newest    []string // The needed symbols of version Glibc.
	Others    []string // Needed symbol versions of libraries other than glibc.
}

// Read reads a program or library. Symbols without a version, such as weak references, need none.
func Read(path string) (Needs, error) {
	file, err := elf.Open(path)
	if err != nil {
		return Needs{}, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	var needs Needs
	if needs.Libraries, err = file.ImportedLibraries(); err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	slices.Sort(needs.Libraries)
	needed, err := file.DynamicVersionNeeds()
	if err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, library := range needed {
		for _, dep := range library.Needs {
			var v Version // of GLIBC_2.2.5 the third number is ignored
			if n, _ := fmt.Sscanf(dep.Dep, "GLIBC_%d.%d", &v.Major, &v.Minor); n < 2 {
				needs.Others = append(needs.Others, dep.Dep)
			} else if v.Compare(needs.Glibc) > 0 {
				needs.Glibc = v
			}
		}
	}
	slices.Sort(needs.Others)
	needs.Others = slices.Compact(needs.Others)
	symbols, err := file.ImportedSymbols()
	if err != nil {
		return Needs{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		if s.Version == "GLIBC_"+needs.Glibc.String() {
			needs.Newest = append(needs.Newest, s.Name)
		}
	}
	return needs, nil
}
