package test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestEveryFamilyHasItsPlaces: the list of families does not contain these, so this test notices a
// new family without them.
func TestEveryFamilyHasItsPlaces(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "FORMAT.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filters.Families() {
		name := f.ID.String()
		if _, section, is := strings.Cut(string(doc), "\n## "+name+": "); !is || !strings.Contains(section, fmt.Sprintf("\nFamily number %d.\n", f.ID)) {
			t.Errorf("docs/FORMAT.md has no number or no section for %s", name)
		}
		if golden, err := filepath.Glob(filepath.Join("..", "..", "filters", name, "testdata", "golden", "*")); len(golden) == 0 || err != nil {
			t.Errorf("filters/%s/testdata/golden has no BLOBs (%v)", name, err)
		}
		if samples, err := f.Samples(); err != nil || len(samples) == 0 {
			t.Errorf("no small sketch of %s to damage (%v)", name, err)
		}
	}
}

// damage returns every truncation and every single-bit flip of a BLOB. In plain, a flip keeps its
// checksum; in sealed, the checksum is corrected, as an attacker would do.
func damage(blob []byte) (plain, sealed [][]byte) {
	for n := range blob {
		plain = append(plain, blob[:n])
	}
	for bit := range 8 * len(blob) {
		b := append([]byte(nil), blob...)
		b[bit/8] ^= 1 << (bit % 8)
		plain = append(plain, b)
		sealed = append(sealed, sketch.Seal(append([]byte(nil), b...)))
	}
	return plain, sealed
}

// calls returns all calls of a function with the BLOB b in one argument, and the good BLOB g in
// other arguments for BLOBs.
func calls(f ccbfsql.Function) []string {
	var out []string
	for _, o := range f.Overloads {
		for at, p := range o.Params {
			if p.Type != "BLOB" {
				continue
			}
			args := make([]string, len(o.Params))
			for i, p := range o.Params {
				args[i] = argument(p)
			}
			args[at] = "b"
			out = append(out, fmt.Sprintf("%s(%s)", f.Name, strings.Join(args, ", ")))
		}
	}
	return out
}

func argument(p ccbfsql.Param) string {
	switch {
	case p.Type == "BLOB":
		return "g"
	case p.Type == "GEOMETRY":
		return "'POINT (1 1)'::GEOMETRY"
	case p.Name == "options":
		return "{weight: 2}"
	case p.Name == "category" || p.Name == "key":
		return "1"
	case p.Name == "polygon":
		return "'POLYGON ((-2 -2, 3 -2, 3 3, -2 3, -2 -2), (0 0, 1 0, 1 1, 0 0))'"
	case p.Name == "bytes":
		return "150"
	case p.Name == "width" || p.Name == "height":
		return "9"
	case p.Name == "z":
		return "9"
	case p.Name == "xmin" || p.Name == "ymin":
		return "-2"
	case p.Name == "xmax" || p.Name == "ymax":
		return "3"
	case p.Name == "x" && p.Type == "BIGINT" || p.Name == "y" && p.Type == "BIGINT":
		return "256"
	}
	return "1"
}

// rowsFor selects the BLOBs for the functions of a group: all of its own family, and one in twenty
// of the others. The functions reject the others at the header.
func rowsFor(group string) string {
	if group == "sketch" {
		return "true"
	}
	return "(hash(rowid) % 20 = 0 OR form LIKE '" + group + " %')"
}

func TestHostileBlobs(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: half a minute of damaged BLOBs (make test-all)")
	}
	db := open(t)
	exec(t, db, "CREATE TABLE bad (form VARCHAR, sealed BOOLEAN, n BIGINT, b BLOB, g BLOB)")
	exec(t, db, "CREATE TABLE filling (form VARCHAR)")
	for _, f := range filters.Families() {
		samples, err := f.Samples()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			want(t, db, "true", "SELECT sketch_is_valid(?::BLOB)", s.Blob)
			plain, sealed := damage(s.Blob)
			form := f.Name + " " + s.Name
			insert(t, db, form, false, plain, s.Blob)
			insert(t, db, form, true, sealed, s.Blob)
			if s.Fills {
				exec(t, db, "INSERT INTO filling VALUES (?)", form)
			}
			t.Logf("%-32s %4d bytes", form, len(s.Blob))
		}
	}
	var aggregates []string
	var scalars []struct{ call, where string }
	for _, f := range ccbfsql.Functions() {
		for _, call := range calls(f) {
			if !f.Aggregate {
				scalars = append(scalars, struct{ call, where string }{call, rowsFor(f.Group)})
			} else {
				aggregates = append(aggregates, call)
			}
		}
	}
	t.Logf("%s damaged BLOBs, %d scalar calls, %d aggregates", mustAsk(t, db, "SELECT count(*) FROM bad"), len(scalars), len(aggregates))

	t.Run("is_valid", func(t *testing.T) {
		want(t, db, "0", "SELECT count(*) FROM bad WHERE NOT sealed AND sketch_is_valid(b)")
		for _, f := range filters.Families() {
			in := func(query string) string { return strings.ReplaceAll(query, "X_", f.ID.String()+"_") }
			want(t, db, "0", in("SELECT count(*) FROM bad WHERE NOT sealed AND X_is_valid(b)"))
			// Every function accepts BLOBs that pass the checks with a right checksum, except for
			// unions that do not fit.
			rows := "SELECT count(*) FROM (FROM bad WHERE " + rowsFor(f.ID.String()) + ") WHERE "
			want(t, db, "0", in(rows+"sealed AND X_is_valid(b) AND TRY(X_info(b)) IS NULL"))
			want(t, db, "0", in(rows+"sealed AND form NOT IN (FROM filling) AND X_is_valid(b) AND TRY(X_union(b, b)) IS NULL"))
			// Functions that return a sketch return a valid one.
			add := "TRY(X_add(b, 1))"
			if f.ID == ccbf.Family.ID {
				add = "TRY(ccbf_add(b, 1, 1)), TRY(ccbf_fold(b, 150))"
			}
			want(t, db, "0", in(rows+"NOT X_is_valid(coalesce("+add+", TRY(X_union(b, b)), X_empty("+map[bool]string{true: "1"}[f.ID == ccbf.Family.ID]+")))"))
		}
	})
	t.Run("scalars", func(t *testing.T) {
		// Each call uses one BLOB in four, and the next call the following ones. In a long run all
		// are used.
		every := 4
		if os.Getenv("CCBF_LONG") != "" {
			every = 1
		}
		for i, s := range scalars {
			query := fmt.Sprintf("SELECT count(TRY(%s)) FROM bad WHERE rowid %% %d = %d AND %s", s.call, every, i%every, s.where)
			t.Logf("%-70s %6s answered", s.call, mustAsk(t, db, query))
		}
	})
	t.Run("aggregates", func(t *testing.T) {
		for _, call := range aggregates {
			failed := 0
			ask := func(query string, n int) {
				for i := range n {
					if _, err := ask(db, query, i); err != nil {
						failed++
					}
				}
			}
			// A damaged BLOB alone, after a good one, and with others in a window.
			ask("SELECT "+call+" FROM (SELECT b FROM bad WHERE rowid = (? * 7919 + 11) % (SELECT count(*) FROM bad))", 150)
			ask("SELECT "+call+" FROM (SELECT unnest([g, b]) b FROM bad WHERE rowid = (? * 104729 + 5) % (SELECT count(*) FROM bad))", 150)
			exec(t, db, "SET threads = 1") // see forgetful
			ask("SELECT count(s) FROM (SELECT "+call+" OVER (ORDER BY n ROWS 3 PRECEDING) s FROM bad WHERE rowid % 997 = ?)", 20)
			exec(t, db, "RESET threads")
			if failed == 0 {
				t.Errorf("%s: nothing failed: this test tests nothing", call)
			}
			t.Logf("%-30s %d of 320 queries failed", call, failed)
		}
	})
	want(t, db, "3", "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(3) t(i)")
	want(t, db, "0", "SELECT (ccbf_memory()).used")
}

func insert(t *testing.T, db *sql.DB, form string, sealed bool, blobs [][]byte, good []byte) {
	t.Helper()
	for len(blobs) > 0 {
		n := min(len(blobs), 2000)
		var texts []string
		for _, b := range blobs[:n] {
			texts = append(texts, fmt.Sprintf("%x", b))
		}
		exec(t, db, "INSERT INTO bad SELECT ?, ?, i, unhex(string_split(?, ' ')[i + 1]), ? FROM range(?) t(i)", form, sealed, strings.Join(texts, " "), good, n)
		blobs = blobs[n:]
	}
}
