package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// scarcePoints sets how many points scarce has: the file takes 8 bytes for each.
const scarcePoints = "BENCH_POINTS"

// scarce builds sketches of more cells than fit the budget.
func scarce(b *bench) {
	n := report.Pick(b.c, 300_000, 5_000_000, 50_000_000)
	if text := os.Getenv(scarcePoints); text != "" {
		n = report.Must(strconv.Atoi(text))
	}
	runs := min(b.rounds, report.Pick(b.c, 1, 2, 3))
	if n > 100_000_000 {
		runs = 1
	}
	b.Set("points", n, "runs", runs, "variable", scarcePoints)
	duck.Folder(func(dir string) { b.scarce(dir, n, runs) })
}

func (b *bench) scarce(dir string, n, runs int) {
	// 128 MiB for fifty million points, and twice that for four times as many.
	limit := int(math.Sqrt(float64(n)/50e6) * (128 << 20))
	file := filepath.Join(dir, "points.parquet")
	b.make("scarce", report.At{"n": n, "file": file})
	report.Check(b.db.Close())
	ours, exact := text("scarce, sketched", report.At{"file": file}), text("scarce, exact", report.At{"file": file})
	memory := func(bytes int) string { return fmt.Sprintf("SELECT ccbf_memory_limit(%d)", bytes) }
	var plenty, little, table []apart
	for run := range runs {
		plenty = append(plenty, alone(ours, memory(1<<36)))
		little = append(little, alone(ours, memory(limit)))
		table = append(table, alone(exact, fmt.Sprintf("SET temp_directory = '%s'", dir)))
		for _, a := range []apart{plenty[run], little[run], table[run]} {
			b.Say("scarce: %.3fs of the processors, %.3fs by the clock, %.0f MiB resident, %.0f MiB counted: %s", a.cpu, a.clock, a.resident/(1<<20), a.counted/(1<<20), a.answer)
		}
		report.Require(plenty[run].answer == little[run].answer, "with little memory the sketches are others: %s, %s", plenty[run].answer, little[run].answer)
	}
	answer := strings.Split(plenty[0].answer, "/")
	bytes := report.Must(strconv.ParseFloat(answer[3], 64))
	b.Set("groups", answer[0], "cells", answer[2], "megabytes", bytes/1e6, "little", float64(limit)/(1<<20))
	of := func(all []apart, f func(apart) float64) rounds { return report.Column(all, f) }
	cpu, clock := func(a apart) float64 { return a.cpu }, func(a apart) float64 { return a.clock }
	resident, counted := func(a apart) float64 { return a.resident }, func(a apart) float64 { return a.counted }
	for _, x := range []struct {
		name  string
		limit int
		took  []apart
	}{{"little memory", limit, little}, {"enough", 1 << 36, plenty}} {
		at := report.At{"limit": float64(x.limit) / (1 << 20)}
		b.note("counted", of(x.took, counted).part(float64(x.limit)), at)
		b.record("processor time", x.name, of(x.took, cpu).over(of(table, cpu)), at)
		b.note("clock", of(x.took, clock).over(of(table, clock)), at)
		b.record("peak of memory", x.name, of(x.took, resident).over(of(table, resident)), at)
		b.note("peak", of(x.took, resident).part(bytes), at)
	}
	byTime := of(little, cpu).over(of(plenty, cpu))
	b.note("with little memory", byTime, nil)
	b.promise(byTime.atMost("processor time of `ccbf_agg` with little memory / with enough", 1.5))
	b.promise(of(little, counted).part(float64(limit)).atMost("most memory counted / the limit", 1))
}
