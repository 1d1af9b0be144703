package test

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/duckdb/duckdb-go/v2"
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

// arguments are values of parameters by name; others are 1.
var arguments = map[string]string{
	"options": "{weight: 2}", "bytes": "150", "width": "9", "height": "9", "z": "9",
	"xmin": "-2", "ymin": "-2", "xmax": "3", "ymax": "3",
	"polygon": "'POLYGON ((-2 -2, 3 -2, 3 3, -2 3, -2 -2), (0 0, 1 0, 1 1, 0 0))'",
}

func argument(p ccbfsql.Param) string {
	switch {
	case p.Type == "BLOB":
		return "g"
	case p.Type == "GEOMETRY":
		return "'POINT (1 1)'::GEOMETRY"
	case p.Type == "BIGINT" && (p.Name == "x" || p.Name == "y"):
		return "256"
	}
	return cmp.Or(arguments[p.Name], "1")
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

// claimant is a sketch whose header and parameters are edited: its family and form, and SQL that
// makes it.
type claimant struct{ name, blob string }

// claimants returns the sketches of claimedForms, and the samples of families that are not among
// them.
func claimants(t *testing.T) []claimant {
	t.Helper()
	all := slices.Clone(claimedForms)
	for _, f := range filters.Keyed() {
		name := f.About().Name
		if slices.ContainsFunc(claimedForms, func(c claimant) bool { return strings.HasPrefix(c.name, name+" ") }) {
			continue
		}
		for _, form := range f.Forms() {
			all = append(all, claimant{name + " " + form.Form, fmt.Sprintf("SELECT %s_agg(i, {%s}) FROM range(9) t(i)", name, form.Options)})
		}
	}
	return all
}

// claimedForms are sketches of about 4 KB of every form whose size matters.
var claimedForms = []claimant{
	{"ccbf exact", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {bytes: 5000}) FROM range(1500) t(i)"},
	{"ccbf exact, categories", "SELECT ccbf_agg(i * 977 % 3331, i % 7, 1, {category: 'c' || i % 150, totals: true, levels: 3, bytes: 5000}) FROM range(900) t(i)"},
	{"ccbf exact, one cell", "SELECT ccbf_agg(1, 1, 1, {counters: [65536, 4096, 256, 16]}) FROM range(9) t(i)"},
	{"ccbf mi", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {exact: false, bytes: 4000}) FROM range(20000) t(i)"},
	{"ccbf mi, nearly empty", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {exact: false, bytes: 4000, k: 32}) FROM range(3) t(i)"},
	{"ccbf standard, many layers", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {exact: false, mode: 'standard', layers: [2, 3, 4, 5, 6, 7, 8, 9], counters: [8192, 2048, 512, 128, 32, 8, 4, 2]}) FROM range(20000) t(i)"},
	{"ccbf mi, levels", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {exact: false, levels: 12, bytes: 4000}) FROM range(500) t(i)"},
	{"ccbf standard, categories", "SELECT ccbf_agg(i * 977 % 3331, i * 7 % 2003, 1, {exact: false, mode: 'standard', category: 'c' || i % 9, totals: true, bytes: 4000}) FROM range(500) t(i)"},
	{"cms plain", "SELECT cms_agg(i % 999, {width: 256, depth: 8}) FROM range(200000) t(i)"},
	{"cms conservative", "SELECT cms_agg(i % 999, {width: 500, depth: 8, conservative: true}) FROM range(9999) t(i)"},
	{"sbf mi", "SELECT sbf_agg(i % 999, {counters: 4000, k: 3, method: 'mi'}) FROM range(9999) t(i)"},
	{"sbf trm", "SELECT sbf_agg(i % 999, {counters: 2500, k: 3, method: 'trm'}) FROM range(9999) t(i)"},
	{"sbf elias", "SELECT sbf_agg(i % 999, {counters: 8000, k: 3, encoding: 'elias'}) FROM range(9999) t(i)"},
	{"sbf elias, rm", "SELECT sbf_agg(i % 999, {counters: 5334, k: 3, method: 'rm', encoding: 'elias'}) FROM range(9999) t(i)"},
	{"sbf steps, range", "SELECT sbf_agg(i % 999, {counters: 8000, k: 3, encoding: 'steps', range: {lo: 0, hi: 1000}}) FROM range(2000) t(i)"},
	{"sbf index", "SELECT sbf_agg(i % 999, {counters: 6000, k: 3, encoding: 'index'}) FROM range(9999) t(i)"},
	{"sbf index, empty", "SELECT sbf_empty({counters: 9000, k: 3, encoding: 'index'})"},
	{"bloom standard", "SELECT bloom_agg(i, {bits: 32000, k: 3}) FROM range(2000) t(i)"},
	{"bloom rational", "SELECT bloom_agg(i, {bits: 32001, k: 2.5, variant: 'rational'}) FROM range(2000) t(i)"},
	{"bloom blocks", "SELECT bloom_agg(i, {bits: 32000, k: 2.5, variant: 'blocks'}) FROM range(2000) t(i)"},
	{"cbf plain", "SELECT cbf_agg(i, {counters: 8000, k: 3}) FROM range(2000) t(i)"},
	{"cbf tandem, variable length", "SELECT cbf_agg(i, {capacity: 1000, counters: 4000, k: 2, variant: 'tandem', variable_length: true}) FROM range(900) t(i)"},
	{"cuckoo set", "SELECT cuckoo_agg(i, {capacity: 1200}) FROM range(1200) t(i)"},
	{"cuckoo tagged, variable length", "SELECT cuckoo_agg(i, {capacity: 2000, variant: 'tagged', variable_length: true, duplicates: true}) FROM range(1900) t(i)"},
}

// edits returns BLOBs in which one byte of the header or the parameters, or the number that begins
// there, is overwritten. It does so in many ways. The bytes after a number move with its length.
func edits(blob []byte, at int) (all [][]byte) {
	parts, err := sketch.Parse(blob)
	end := len(blob) - len(parts.Body)
	if err != nil || at >= end {
		return nil
	}
	params := end - len(parts.Params)
	put := func(until int, to []byte) {
		b := slices.Concat(blob[:at], to, blob[until:])
		if at >= params { // the length of the parameters is one byte
			b[params-1] += byte(len(to) - (until - at))
		}
		all = append(all, sketch.Seal(b))
	}
	was := blob[at]
	for _, v := range []byte{0, 1, 2, 3, 4, 8, 16, 23, 24, 32, 63, 64, 127, 128, 255, was - 1, was + 1, was * 2} {
		put(at+1, []byte{v})
	}
	n, read := binary.Uvarint(blob[at:end])
	if at < firstField || at == params-1 || read <= 0 {
		return all
	}
	for _, v := range []uint64{
		n * 2, n * 4, n * 256, n / 2, n + 1, n - 1, 1 << 10, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 27, 1 << 28, 1 << 30, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 52, 1<<53 - 1, 1 << 53, 1<<54 - 1,
		1<<63 - 1, 1 << 63, ^uint64(1<<52 - 1), ^uint64(1<<53 - 1), ^uint64(1 << 40), ^uint64(0),
	} {
		put(at+read, binary.AppendUvarint(nil, v))
	}
	for _, v := range []float64{1e-300, 1e-9, 1e-3, 1e300} {
		put(at+read, sketch.AppendFloat(nil, v))
	}
	return all
}

// Positions: the family is before the checksum, all other fields are after it.
const (
	familyAt   = 5
	firstField = 10
)

// allEdits returns the edits of the whole header and the parameters, and as many edits of two
// fields at once. Examples are layers and the bytes that they must fit, or a form and its flags.
func allEdits(blob []byte, r *rand.Rand) [][]byte {
	all := edits(blob, familyAt)
	end := firstField
	for ; ; end++ {
		more := edits(blob, end)
		if more == nil {
			break
		}
		all = append(all, more...)
	}
	for once := all; len(all) < 2*len(once); {
		if twice := edits(once[r.IntN(len(once))], firstField+r.IntN(end-firstField)); len(twice) > 0 {
			all = append(all, twice[r.IntN(len(twice))])
		}
	}
	return all
}

// bodies returns a BLOB with other bodies: shorter ones, and others of its length.
func bodies(blob []byte, r *rand.Rand) (all [][]byte) {
	parts, err := sketch.Parse(blob)
	if err != nil {
		return nil
	}
	body := func(b []byte) {
		all = append(all, sketch.Join(parts.Header, parts.Params, b))
	}
	n := len(parts.Body)
	for _, cut := range []int{0, 1, 2, 3, 8, 16, 40, n / 2, n - 8, n - 1} {
		if cut >= 0 && cut < n {
			body(parts.Body[:cut])
		}
	}
	for _, c := range []byte{0, 1, 0x55, 0x7f, 0x80, 0xaa, 0xff} {
		body(slices.Repeat([]byte{c}, n))
	}
	for range 4 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		body(b)
	}
	for range 60 { // a few changed bytes, mostly at the beginning
		b := slices.Clone(parts.Body)
		for range 1 + r.IntN(3) {
			b[r.IntN(min(n, 1+r.IntN(n)))] = byte(r.Uint32())
		}
		body(b)
	}
	return all
}

// allocated returns the bytes that were ever allocated for Go objects.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// wide enlarges the areas and sizes in calls.
var wide = strings.NewReplacer(
	", -2, -2, 3, 3", ", -1e7, -1e7, 1e7, 1e7",
	"'POLYGON ((-2 -2, 3 -2, 3 3, -2 3, -2 -2), (0 0, 1 0, 1 1, 0 0))'", "'POLYGON ((-1e7 -1e7, 1e7 -2e6, 3e6 1e7, -1e7 2e5, -1e7 -1e7))'",
	"9, 256, 256", "0, 0, 0",
	"b, 150)", "b, 1e9::BIGINT)",
)

// mostPerRow is the largest number of bytes that a function may allocate for one row, of a sketch
// of 4 KB.
const mostPerRow = 16 << 20

// TestClaims: a function allocates little for a small sketch or returns an error, whatever the
// sketch's header says. Every field of the header and the parameters is edited, and bodies are
// replaced, with correct lengths and checksums. Edits that a family accepts go to every function in
// every argument for a sketch. make test uses few of them, an ordinary run more, CCBF_LONG=1 all.
// (TestWorkOfOneQuestion in filters/ccbf limits the steps of a query.)
func TestClaims(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 1")
	exec(t, db, "CREATE TABLE edited (form VARCHAR, sealed BOOLEAN, n BIGINT, b BLOB, g BLOB)")
	exec(t, db, "CREATE TABLE bad AS FROM edited")
	few := 8
	if testing.Short() {
		few = 3
	}
	if os.Getenv("CCBF_LONG") != "" {
		few = math.MaxInt32
	}
	r := rand.New(rand.NewPCG(14, 9))
	for _, form := range claimants(t) {
		var blob []byte
		if err := db.QueryRow(form.blob).Scan(&blob); err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		if len(blob) > 5500 {
			t.Fatalf("%s: %d bytes", form.name, len(blob))
		}
		all := allEdits(blob, r)
		all = append(all, bodies(blob, r)...)
		all = sample(r, all, 40*few)
		insert(t, db, form.name, true, all, blob)
		info := form.name[:strings.IndexByte(form.name, ' ')] + "_info(b)"
		cheap(t, db, info, "true")
		exec(t, db, fmt.Sprintf("INSERT INTO edited SELECT * FROM bad WHERE TRY(%s) IS NOT NULL ORDER BY hash(b) LIMIT %d", info, few))
		exec(t, db, "DELETE FROM bad")
	}
	exec(t, db, "DROP TABLE bad")
	exec(t, db, "ALTER TABLE edited RENAME TO bad")
	t.Logf("%s edited sketches", mustAsk(t, db, "SELECT count(*) FROM bad"))
	for _, f := range ccbfsql.Functions() {
		where := "form LIKE '" + f.Group + " %'"
		if f.Group == "sketch" {
			where = "true"
		}
		cs := calls(f)
		for _, c := range slices.Clone(cs) {
			cs = append(cs, wide.Replace(c), strings.NewReplacer("(g", "(b", ", g", ", b").Replace(c))
		}
		slices.Sort(cs)
		for _, c := range slices.Compact(cs) {
			if !f.Aggregate {
				cheap(t, db, c, where)
			} else {
				cheapAggregate(t, db, c, where)
			}
		}
	}
	want(t, db, "0", "SELECT (ccbf_memory()).used")
}

// sample returns n random elements, or all.
func sample(r *rand.Rand, all [][]byte, n int) [][]byte {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// cheap runs a call on every row and reports rows for which it allocates too much. It runs all rows
// together, and halves of them if these allocate too much.
func cheap(t *testing.T, db *sql.DB, call, where string) {
	t.Helper()
	var lo, hi sql.NullInt64
	if err := db.QueryRow("SELECT min(rowid), max(rowid) FROM bad WHERE "+where).Scan(&lo, &hi); err != nil {
		t.Fatal(err)
	}
	if !lo.Valid {
		t.Fatalf("%s: nothing to ask", call)
	}
	var among func(from, to int64)
	among = func(from, to int64) {
		before := allocated()
		if _, err := ask(db, fmt.Sprintf("SELECT count(TRY(%s)) FROM bad WHERE rowid BETWEEN %d AND %d", call, from, to)); err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		n := allocated() - before
		if n <= mostPerRow {
			return
		}
		if from < to {
			among(from, (from+to)/2)
			among((from+to)/2+1, to)
			return
		}
		t.Errorf("%s takes %d MB of %s", call, n>>20, mustAsk(t, db, fmt.Sprintf("SELECT form || ', ' || octet_length(b) || ' bytes, ' || hex(b[:150]) FROM bad WHERE rowid = %d", from)))
	}
	for from := lo.Int64; from <= hi.Int64; from += 128 {
		among(from, min(from+127, hi.Int64))
	}
}

// cheapAggregate runs an aggregate on each row alone, followed by a good sketch, because only the
// budget limits groups of one query together.
func cheapAggregate(t *testing.T, db *sql.DB, call, where string) {
	t.Helper()
	var ids duckdb.Composite[[]int64]
	if err := db.QueryRow("SELECT list(rowid) FROM bad WHERE " + where).Scan(&ids); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids.Get() {
		before := allocated()
		_, _ = ask(db, fmt.Sprintf("SELECT %s FROM (SELECT unnest([b, b, g]) b FROM bad WHERE rowid = %d)", call, id)) // an error is allowed
		if n := allocated() - before; n > mostPerRow {
			t.Errorf("%s takes %d MB of row %d", call, n>>20, id)
		}
	}
}
