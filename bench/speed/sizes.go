package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// sizes weighs exact sketches and the exact table, both also as Parquet.
func sizes(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	run(db, "CREATE TABLE p AS "+crimes(c))
	groupings := []struct{ what, key string }{
		{"all in one", "0"},
		{"zoom 6", "quadkey(lon, lat, 6)"},
		{"zoom 8", "quadkey(lon, lat, 8)"},
		{"zoom 10", "quadkey(lon, lat, 10)"},
		{"zoom 12", "quadkey(lon, lat, 12)"},
		{"zoom 14", "quadkey(lon, lat, 14)"},
		{"zoom 16", "quadkey(lon, lat, 16)"},
	}
	w := newStopwatch(c, s, len(groupings))
	s.Text("Bytes for each cell of the UK crimes at 0.001 degrees, in one group and in one for each map tile: the exact sketches as they are and as a column of Parquet with zstd, and the table of group, cell and count, sorted, as Parquet with zstd. These are sizes: nothing varies, and no spread is given.")
	t := s.Table("groups", "cells a group", "BLOBs", "BLOBs in Parquet", "table in Parquet", "BLOBs in Parquet / table", "BLOBs / table")
	var rows []report.Row
	for _, g := range groupings {
		x := weigh(db, dir, g.key)
		share := ratio{x.packed / x.table}
		t.Row(g.what, x.cells/x.groups, x.blobs/x.cells, x.packed/x.cells, x.table/x.cells, share, x.blobs/x.table)
		rows = append(rows, share.row(g.what, "in Parquet"), ratio{x.blobs / x.table}.row(g.what, "as they are"))
		if g.key == "0" {
			perCell := ratio{x.blobs / x.cells}
			w.claim(perCell.atMost("bytes a cell, exact sketch of the UK crimes", 1.4))
			// docs/LIMITS.md: 1.12 bytes where the table takes 2.48.
			w.claim(share.atMost("bytes of the exact sketch / exact table, both in Parquet with zstd", 1.12/2.48))
		}
		s.Step()
	}
	s.Short("in Parquet the exact sketch of all points takes %s of the bytes of the exact table, sketches of tiles of zoom 10 %s.", report.Num(rows[0].At), report.Num(rows[6].At))
	s.Rows("ratio", "Bytes of sketches as a part of the exact table's in Parquet with zstd.", "bytes / exact table", rows)
}

// weight is sizes in bytes of the same groups.
type weight struct {
	groups, cells float64 // how many
	blobs, packed float64 // the sketches as they are, and in Parquet
	table         float64 // the exact table in Parquet
}

// weigh groups the points by a key.
func weigh(db *sql.DB, dir, key string) weight {
	var x weight
	run(db, "CREATE OR REPLACE TABLE sketches AS SELECT "+key+" AS g, ccbf_agg(lon, lat, 0.001) AS s FROM p GROUP BY g ORDER BY g",
		// In the smallest types that hold them.
		"CREATE OR REPLACE TABLE counted AS SELECT "+key+" AS g, floor(lon / 0.001)::INTEGER AS x, floor(lat / 0.001)::INTEGER AS y, count(*)::UINTEGER AS n FROM p GROUP BY ALL ORDER BY g, y, x")
	report.Check(db.QueryRow("SELECT count(*), sum(octet_length(s)), (SELECT count(*) FROM counted) FROM sketches").Scan(&x.groups, &x.blobs, &x.cells))
	for _, f := range []struct {
		name string
		to   *float64
	}{{"sketches", &x.packed}, {"counted", &x.table}} {
		file := filepath.Join(dir, f.name+".parquet")
		run(db, fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet, COMPRESSION zstd)", f.name, file))
		*f.to = float64(report.Must(os.Stat(file)).Size())
	}
	return x
}
