// Package needs reads which version of glibc a program or library needs. packaging/glibc links them
// for old versions.
package needs

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// parse parses names such as GLIBC_2.17 and GLIBC_2.2.5. The third number is ignored.
func parse(name string) (Version, bool) {
	text, ok := strings.CutPrefix(name, "GLIBC_")
	if !ok {
		return Version{}, false
	}
	numbers := append(strings.Split(text, "."), "0")
	major, err := strconv.Atoi(numbers[0])
	if err != nil {
		return Version{}, false // a name without numbers, such as GLIBC_PRIVATE
	}
	minor, err := strconv.Atoi(numbers[1])
	return Version{major, minor}, err == nil
}
