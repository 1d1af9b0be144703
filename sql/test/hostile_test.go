package test

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// forms are small sketches of every family and form.
var forms = []struct{ name, blob string }{
	{"ccbf empty", "SELECT ccbf_empty(1)"},
	{"ccbf exact", "SELECT ccbf_agg(i % 3, i % 2, 1) FROM range(20) t(i)"},
	{"ccbf exact, categories", "SELECT ccbf_agg(i % 3, i % 2, 1, {category: i % 2, totals: true}) FROM range(20) t(i)"},
	{"ccbf exact, blocks", "SELECT ccbf_agg(i * 977 % 331, i % 7, 1) FROM range(300) t(i)"},
	{"ccbf mi", "SELECT ccbf_agg(i % 3, i % 2, 1, {exact: false, layers: [4, 8], counters: [32, 4]}) FROM range(20) t(i)"},
	{"ccbf standard", "SELECT ccbf_agg(i % 3, i % 2, 1, {exact: false, mode: 'standard', layers: [4, 8], counters: [32, 4]}) FROM range(200) t(i)"},
	{"ccbf standard, categories", "SELECT ccbf_agg(i % 3, i % 2, 1, {exact: false, mode: 'standard', layers: [5, 9], counters: [32, 4], category: 'c' || i % 2, totals: true}) FROM range(20) t(i)"},
	{"ccbf mi, levels", "SELECT ccbf_agg(i % 3, i % 2, 1, {exact: false, levels: 2, layers: [4, 8], counters: [64, 4]}) FROM range(20) t(i)"},
	{"ccbf masked", "SELECT ccbf_mask(s, s) FROM (SELECT ccbf_agg(i % 3, i % 2, 1, {exact: false, mode: 'standard', layers: [8], counters: [16]}) s FROM range(20) t(i))"},
	{"cms plain", "SELECT cms_agg(i % 3, {width: 8, depth: 3}) FROM range(2000) t(i)"},
	{"cms conservative", "SELECT cms_agg(i % 3, {width: 8, depth: 3, conservative: true}) FROM range(20) t(i)"},
	{"sbf mi", "SELECT sbf_agg(i % 3, {counters: 16, k: 3, method: 'mi'}) FROM range(20) t(i)"},
	{"sbf rm", "SELECT sbf_agg(i % 3, {counters: 24, k: 3, method: 'rm'}) FROM range(20) t(i)"},
	{"sbf trm", "SELECT sbf_agg(i % 5, {counters: 16, k: 3, method: 'trm'}) FROM range(20) t(i)"},
	{"sbf elias", "SELECT sbf_agg(i % 3, {counters: 16, k: 3, encoding: 'elias'}) FROM range(20) t(i)"},
	{"sbf steps, range", "SELECT sbf_agg(i % 3, {counters: 16, k: 3, encoding: 'steps', range: {lo: 0, hi: 7}}) FROM range(20) t(i)"},
	{"sbf index", "SELECT sbf_agg(i % 3, {counters: 16, k: 3, encoding: 'index'}) FROM range(20) t(i)"},
	{"bloom standard", "SELECT bloom_agg(i % 3, {bits: 64, k: 3}) FROM range(20) t(i)"},
	{"bloom rational", "SELECT bloom_agg(i % 3, {bits: 61, k: 2.5, variant: 'rational'}) FROM range(20) t(i)"},
	{"bloom blocks, shrunk", "SELECT bloom_shrink(bloom_agg(i % 3, {bits: 200, k: 2.5, variant: 'blocks'}), 120) FROM range(20) t(i)"},
	{"cbf plain", "SELECT cbf_agg(i % 3, {counters: 32, k: 3}) FROM range(20) t(i)"},
	{"cbf tandem, variable length", "SELECT cbf_agg(i % 3, {capacity: 40, counters: 16, k: 2, variant: 'tandem', variable_length: true}) FROM range(9) t(i)"},
	{"cuckoo set", "SELECT cuckoo_agg(i % 3, {capacity: 12}) FROM range(20) t(i)"},
	{"cuckoo tagged, variable length", "SELECT cuckoo_agg(i % 5, {capacity: 12, variant: 'tagged', variable_length: true, duplicates: true}) FROM range(9) t(i)"},
}

// What the tests cannot find out by the list of families, a new one must have.
func TestEveryFamilyHasItsPlaces(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "FORMAT.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ccbfsql.Families() {
		name := f.ID.String()
		if !strings.Contains(string(doc), fmt.Sprintf("%d %s", uint8(f.ID), name)) || !strings.Contains(string(doc), "\n## "+name+": ") {
			t.Errorf("docs/FORMAT.md has no number or no section for %s", name)
		}
		if golden, err := filepath.Glob(filepath.Join("..", "..", "filters", name, "testdata", "golden", "*")); len(golden) == 0 || err != nil {
			t.Errorf("filters/%s/testdata/golden has no BLOBs (%v)", name, err)
		}
		if !slices.ContainsFunc(forms, func(form struct{ name, blob string }) bool { return strings.HasPrefix(form.name, name+" ") }) {
			t.Errorf("no small sketch of %s to damage", name)
		}
	}
}

// damage is every truncation and every single-bit flip of a BLOB. A flip keeps
// its checksum or, sealed, has one that is right, as an attacker would see to.
func damage(blob []byte) (plain, sealed [][]byte) {
	for n := range blob {
		plain = append(plain, blob[:n])
	}
	for bit := range 8 * len(blob) {
		b := append([]byte(nil), blob...)
		b[bit/8] ^= 1 << (bit % 8)
		plain = append(plain, b)
		s := append([]byte(nil), b...)
		c := crc32.MakeTable(crc32.Castagnoli)
		binary.LittleEndian.PutUint32(s[8:], crc32.Update(crc32.Checksum(s[:8], c), c, s[12:]))
		sealed = append(sealed, s)
	}
	return plain, sealed
}

// calls are all calls of a function that take the BLOB b, with g, a good one,
// in the other places where a BLOB goes.
func calls(f duck.Function) []string {
	var out []string
	for _, o := range f.Overloads {
		for at, p := range o.Params {
			if p.Type.ID() != duck.BlobID {
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

func argument(p duck.Param) string {
	switch {
	case p.Type.ID() == duck.BlobID:
		return "g"
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
	case p.Name == "x" && p.Type.ID() == duck.BigIntID || p.Name == "y" && p.Type.ID() == duck.BigIntID:
		return "256"
	}
	return "1"
}

func TestHostileBlobs(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE bad (form VARCHAR, sealed BOOLEAN, n BIGINT, b BLOB, g BLOB)")
	for _, form := range forms {
		var blob []byte
		if err := db.QueryRow(form.blob).Scan(&blob); err != nil {
			t.Fatal(err)
		}
		want(t, db, "true", "SELECT sketch_is_valid(?::BLOB)", blob)
		plain, sealed := damage(blob)
		insert(t, db, form.name, false, plain, blob)
		insert(t, db, form.name, true, sealed, blob)
		t.Logf("%-28s %4d bytes", form.name, len(blob))
	}
	var aggregates []string
	var scalars []struct{ call, where string }
	for _, f := range ccbfsql.Functions() {
		for _, call := range calls(f) {
			if f.Overloads[0].Scalar != nil {
				// Its own family's BLOBs, and of the others, which it turns down at
				// the header, one in twenty.
				where := " WHERE rowid % 20 = 0 OR form LIKE '" + f.Group + " %'"
				if f.Group == "sketch" {
					where = ""
				}
				scalars = append(scalars, struct{ call, where string }{call, where})
			} else {
				aggregates = append(aggregates, call)
			}
		}
	}
	t.Logf("%s damaged BLOBs, %d scalar calls, %d aggregates", mustAsk(t, db, "SELECT count(*) FROM bad"), len(scalars), len(aggregates))

	t.Run("is_valid", func(t *testing.T) {
		want(t, db, "0", "SELECT count(*) FROM bad WHERE NOT sealed AND sketch_is_valid(b)")
		for _, f := range ccbfsql.Families() {
			in := func(query string) string { return strings.ReplaceAll(query, "X_", f.ID.String()+"_") }
			want(t, db, "0", in("SELECT count(*) FROM bad WHERE NOT sealed AND X_is_valid(b)"))
			// What the checks accept with a checksum that is right, every function
			// takes, but what is full already.
			want(t, db, "0", in("SELECT count(*) FROM bad WHERE sealed AND X_is_valid(b) AND TRY(X_info(b)) IS NULL"))
			if f.ID != sketch.Cuckoo {
				want(t, db, "0", in("SELECT count(*) FROM bad WHERE sealed AND X_is_valid(b) AND TRY(X_union(b, b)) IS NULL"))
			}
			// And what makes a new sketch makes a valid one.
			add := "TRY(X_add(b, 1))"
			if f.ID == sketch.CCBF {
				add = "TRY(ccbf_add(b, 1, 1)), TRY(ccbf_fold(b, 150))"
			}
			want(t, db, "0", in("SELECT count(*) FROM bad WHERE NOT X_is_valid(coalesce("+add+", TRY(X_union(b, b)), X_empty("+map[bool]string{true: "1"}[f.ID == sketch.CCBF]+")))"))
		}
	})
	t.Run("scalars", func(t *testing.T) {
		for _, s := range scalars {
			t.Logf("%-70s %6s answered", s.call, mustAsk(t, db, "SELECT count(TRY("+s.call+")) FROM bad"+s.where))
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
			// A damaged one alone, after a good one, and with others in a window.
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

// Polygons are hostile input too: every truncation and every flipped bit of a
// WKB polygon with a hole.
func TestHostilePolygons(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE bad (form VARCHAR, sealed BOOLEAN, n BIGINT, b BLOB, g BLOB)")
	var b []byte
	b = append(b, 1, 3, 0, 0, 0, 2, 0, 0, 0)
	for _, ring := range []string{"0 0 9 0 9 9 0 9 0 0", "2 2 4 2 4 4 2 2"} {
		var v []float64
		for _, f := range strings.Fields(ring) {
			v = append(v, float64(f[0]-'0'))
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v)/2))
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(i % 10, i // 10, 1) AS exact, ccbf_agg(i % 10, i // 10, 1, {exact: false, bytes: 1000}) AS dense FROM range(100) t(i)")
	want(t, db, "78", "SELECT ccbf_polygon_sum(exact, ?::BLOB) FROM s", b)
	plain, _ := damage(b)
	insert(t, db, "wkb", false, plain, b)
	got := mustAsk(t, db, "SELECT count(*), count(TRY(ccbf_polygon_sum(exact, b))), count(TRY(ccbf_polygon_sum(dense, b))), count(*) FILTER (TRY(ccbf_polygon_sum(exact, b)) > 100) FROM bad, s")
	t.Logf("polygons, answered exact and dense, beyond the total: %s", got)
	if !strings.HasSuffix(got, "|0") {
		t.Error("a polygon counts more points than there are")
	}
	// As WKT: every truncation.
	want(t, db, "0", "SELECT count(TRY(ccbf_polygon_sum(exact, left(w, n)))) FROM s, (SELECT 'MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (2 2, 4 2, 4 4, 2 2)))' w), range(100) r(n) WHERE n < length(w)")
	want(t, db, "0", "SELECT count(TRY(ccbf_polygon_sum(exact, left(w, n)))) FROM s, (SELECT '{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}' w), range(100) r(n) WHERE n < length(w)")
}
