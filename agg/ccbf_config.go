package agg

import "github.com/ccbfsql/ccbfsql/filters/ccbf"

// configs are those of ccbf_agg.
var configs numbering[ccbf.Config]

func intern(c ccbf.Config) uint32 { return configs.number(c) }

func interned(id uint32) (*ccbf.Config, error) { return configs.of(id) }
