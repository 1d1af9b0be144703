package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
)

// TestFilesAreUpToDate checks that the files in docs are those that docgen writes.
func TestFilesAreUpToDate(t *testing.T) {
	files, err := files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(have, want) {
			continue
		}
		old, now := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
		at := 0
		for at < min(len(old), len(now)) && old[at] == now[at] {
			at++
		}
		t.Errorf("docs/%s is out of date from line %d on: run make docs", name, at+1)
	}
}

// Every function has a summary, an example and related functions.
func TestEveryFunctionHasItsParts(t *testing.T) {
	for _, f := range ccbfsql.Functions() {
		if f.Summary == "" || f.Example == "" || len(f.Signatures) == 0 || len(seeAlso(f)) == 0 {
			t.Errorf("%s lacks a part: summary %q, example %q, see also %q", f.Name, f.Summary, f.Example, seeAlso(f))
		}
	}
}

// TestMistakes runs mistakes that the page lists. Each is an error whose message begins with the
// name of the function, and every function whose page lists errors has one.
func TestMistakes(t *testing.T) {
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tested := map[string]bool{}
	test := func(query string) {
		name, _, _ := strings.Cut(query, "(")
		tested[name] = true
		var answer any
		err := db.QueryRowContext(t.Context(), "SELECT "+query).Scan(&answer)
		if err == nil || !strings.Contains(err.Error(), name+": ") {
			t.Errorf("%s: the error is %v", query, err)
		}
	}
	for _, query := range []string{
		"ccbf_get('abc'::BLOB, 1, 1)", "ccbf_get(cms_empty(), 1, 1)", "sketch_info('abc'::BLOB)",
		"ccbf_union(ccbf_empty(1), ccbf_empty(2))", "cms_join_size(cms_empty(), cms_empty({seed: 1}))",
		"ccbf_mask(ccbf_agg(1, 1, 1), bloom_agg(ccbf_cell_key(1, 1, 2)))", "ccbf_mask(ccbf_empty(1), bloom_agg(1))",
		"ccbf_remove(ccbf_empty(1), 1, 1)", "cms_remove(cms_agg(1), 2)", "cms_remove(cms_agg(1, {conservative: true}), 1)",
		"sbf_remove(sbf_agg(1, {method: 'mi'}), 1)", "cuckoo_remove(cuckoo_agg(1, {capacity: 10}), 1)", "cbf_remove(cbf_agg(1, {capacity: 10}), 2)",
		"cms_agg([1])", "cms_get(cms_agg(1), 'a')", "top_count(top_agg(1), 'a')", "cuckoo_contains(cuckoo_agg(1, {capacity: 10}), 'a')",
		"ccbf_agg('nan'::DOUBLE, 1, 1)", "ccbf_agg(1e300, 1, 1)", "ccbf_get(ccbf_empty(1), 'inf'::DOUBLE, 1)", "grid_cell('nan'::DOUBLE, 1)",
		"ccbf_agg(1, 1, 0)", "ccbf_cell_key(1, 1, 0)", "grid_cell(1, 0)", "grid_edge(1, 0)", "grid_center(1, 0)", "tile_x(1, 3, 0)", "quadkey(1, 1, 3, 0)",
		"ccbf_bbox_sum(ccbf_empty(1), 2, 0, 1, 1)", "ccbf_bbox_overlaps(ccbf_empty(1), 2, 0, 1, 1)", "ccbf_raster(ccbf_empty(1), 2, 0, 1, 1, 1, 1)",
		"ccbf_polygon_sum(ccbf_empty(1), 'POINT (1 1)')", "ccbf_clip(ccbf_empty(1), 'x')", "globe_polygon('x')", "area_km2('POINT (1 1)')",
		"ccbf_get(ccbf_empty(1), 1, 1, 5)", "ccbf_get(ccbf_agg(1, 1, 1, {category: 4}), 1, 1, 'a')", "ccbf_cells(ccbf_empty(1), 5)",
		"tile_x(500, 3)", "tile_y(95, 3)", "quadkey(500, 1, 3)", "circle(0, 100, 5)", "tile_x(1, 40)", "tile_y(1, 40)", "quadkey(1, 1, 40)",
		"ccbf_tile_sum(ccbf_empty(1), 1, 5, 0)", "tile_bbox(1, 5, 0)", "quadkey_bbox('9')", "quadbin('9')", "circle(0, 0, 0)",
		"ccbf_raster(ccbf_empty(1), 0, 1)", "ccbf_hotspots(ccbf_empty(1), 0)", "ccbf_top_k(ccbf_empty(1), 0)",
		"ccbf_suppress(ccbf_empty(1), 0)", "ccbf_suppress(ccbf_agg(1, 1, 1, {exact: false}), 2)", "ccbf_coarsen(ccbf_empty(1), 0)",
		"ccbf_fold(ccbf_empty(1), 0)", "bloom_shrink(bloom_agg(1), 0)", "sbf_range_sum(sbf_agg(1), 1, 2)", "sbf_get_unbiased(sbf_agg(1), 1, 0)",
		"sketch_advise(0, 1, 1, 1)", "sketch_help('nix')", "ccbf_memory_limit(0)",
		"cms_agg(1, {nix: 1})", "cms_agg(i, {width: i + 10}) FROM range(2) t(i)",
	} {
		test(query)
	}
	for _, f := range ccbfsql.Functions() {
		if query := wrongCall(f); query != "" {
			test(query)
		}
		if len(mistakes(f)) > 0 && !tested[f.Name] {
			t.Errorf("no mistake of %s is tested", f.Signatures[0])
		}
	}
}

// wrongCall returns a call of a function with a BLOB that is not a sketch, or with an unknown
// option. It returns "" if the function has neither as an argument.
func wrongCall(f ccbfsql.Function) string {
	if strings.HasSuffix(f.Name, "_is_valid") {
		return ""
	}
	values := map[string]string{"BLOB": "'abc'::BLOB", "ANY": "'POLYGON ((0 0, 2 0, 0 2, 0 0))'", "VARCHAR": "'a'"}
	var args []string
	sketches := false
	for _, p := range f.Overloads[0].Params {
		args = append(args, cmp.Or(values[p.Type], "1"))
		sketches = sketches || p.Type == "BLOB"
	}
	if !sketches {
		if len(f.Options) == 0 {
			return ""
		}
		args = append(args, "{nix: 1}")
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}
