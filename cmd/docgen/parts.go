package main

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// relatedText lists the functions that a page names below a function, one function per line. Functions of
// families have their name without the prefix, other functions the whole name.
//
//go:embed related.txt
var relatedText string

// related has the lists of relatedText by their functions.
var related = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(relatedText) {
		name, others, _ := strings.Cut(line, ": ")
		all[name] = strings.Fields(others)
	}
	return all
}()

// families has the families by the groups of their functions.
var families = func() map[string]sketch.Family {
	all := map[string]sketch.Family{}
	for _, f := range filters.Families() {
		all[f.Name] = f
	}
	return all
}()

var word = regexp.MustCompile(`[a-z][a-z0-9]*(?:_[a-z0-9]+)+`)

// seeAlso returns the functions that stand below a function: first the functions that its summary
// names, then the functions of the table. Other functions of a family get its _info.
func seeAlso(f ccbfsql.Function) []string {
	known := map[string]bool{}
	for _, o := range ccbfsql.Functions() {
		known[o.Name] = true
	}
	names := word.FindAllString(f.Summary, -1)
	for _, key := range []string{f.Name, strings.TrimPrefix(f.Name, f.Group+"_")} {
		for _, n := range related[key] {
			names = append(names, f.Group+"_"+n, n)
		}
	}
	if _, is := families[f.Group]; is {
		names = append(names, f.Group+"_info")
	}
	var found []string
	for _, n := range names {
		if known[n] && n != f.Name && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	return found
}

// mistakes returns which arguments of a function are errors. They follow from its parameters and
// its name. TestMistakes runs an example of each.
func mistakes(f ccbfsql.Function) []string {
	if strings.HasSuffix(f.Name, "_is_valid") {
		return nil
	}
	has := map[string]bool{}
	for _, o := range f.Overloads {
		for _, p := range o.Params {
			has[p.Name] = true
			has[p.Name+" "+p.Type] = true
		}
	}
	what := strings.TrimPrefix(f.Name, f.Group+"_")
	of := func(names ...string) bool { return slices.Contains(names, what) }
	sketches := has["s BLOB"] || has["a BLOB"] || has["sketch BLOB"] || has["blob BLOB"]
	var texts []string
	add := func(when bool, text string) {
		if when {
			texts = append(texts, text)
		}
	}
	kind := "a sketch"
	if family, is := families[f.Group]; is {
		kind = family.Article + " " + family.Name + " sketch"
	}
	add(sketches, "a BLOB that is not "+kind)
	add(of("union", "union_agg", "intersect", "intersect_agg", "subtract", "difference", "join", "join_size"), "sketches whose parameters differ")
	add(of("mask"), "cells of another resolution, or a filter of other keys than those of ccbf_cell_key")
	add(of("remove", "subtract"), "more than the sketch holds, or a sketch that does not allow removals")
	add(has["key"] && !sketches, "a key that is a LIST, a MAP or the like")
	add(has["key"] && sketches, "a key that does not fit the type of the sketch's keys")
	add(has["x DOUBLE"] || has["x1"] || has["v"], "a coordinate that is not finite or too far out for the cells")
	add(has["res"], "a res that is not a finite number above 0")
	add(has["xmin"], "a box whose minimum is above its maximum")
	add(has["polygon"], "a polygon that cannot be read or has no inside")
	add(has["category"], "a category for a sketch without categories, or one of another type")
	add(has["lon"] || has["lat"], "a longitude beyond 180 degrees or a latitude beyond 90")
	add(has["z"], "a zoom outside 0 to 30")
	add(has["z"] && has["y"], "a tile that does not exist at its zoom")
	add(has["quadkey"], "a quadkey with another character than the digits 0 to 3")
	add(has["metres"], "a radius outside 1 to 10,000,000 metres")
	add(has["width"], "a width or height outside 1 to 8,192 pixels")
	add(has["threshold"], "a threshold below 1")
	add(of("top_k"), "a k outside 1 to 1,000,000")
	add(of("suppress"), "a k below 2, or counters")
	add(of("coarsen"), "a factor that is not a whole number from 1 to 16,777,216")
	add(of("fold"), "fewer bytes than the header and the smallest body take")
	add(of("shrink"), "a filter of another variant than 'blocks'")
	add(of("range_sum"), "a sketch that was built without the option range")
	add(of("get_unbiased"), "groups outside 1 to k")
	add(has["distinct"], "a number of keys, occurrences or bytes below 1")
	add(f.Name == "sketch_help", "a name that no function has")
	add(f.Name == "ccbf_memory_limit", "a limit of 0")
	add(has["options"], "an unknown option, or a value of a wrong type or out of range")
	add(f.Aggregate && has["options"], "options that differ within a group")
	add(f.Aggregate, "more memory than ccbf_memory_limit allows")
	return texts
}
