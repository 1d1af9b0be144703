package udf

import (
	"math"
	"runtime/debug"

	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// built is the version that the Makefile sets by the linker's -X, or "".
var built string

// Version is the version of this build: that of the Makefile, or else of the Go module, or else
// "development".
var Version = func() string {
	if built != "" {
		return built
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}()

// Process returns the functions that report on the process.
func Process() functions {
	bytes := duck.StructOf(duck.Field{Name: "used", Type: duck.UBigInt}, duck.Field{Name: "kept", Type: duck.UBigInt}, duck.Field{Name: "limit", Type: duck.UBigInt})
	fns := []duck.Function{
		function("process", "ccbf_memory", bytes, func(c *call) error {
			return c.each(func(i int) error {
				f := fields{out: c.out, row: i}
				for _, n := range []int64{memory.Used(), memory.Cached(), memory.Limit()} {
					f.count(uint64(n))
				}
				return nil
			})
		}, "Bytes of memory that aggregates and functions use in this process, in addition to DuckDB's own memory. used is the memory of aggregates and of running functions. kept is the memory of decoded sketches, which are kept until it is needed. limit is the largest sum of both that is allowed.",
			"SELECT (ccbf_memory()).used", nil),
		function("process", "ccbf_memory_limit", duck.UBigInt, func(c *call) error {
			limits := duck.Out[uint64](c.out)
			return c.each(func(i int) error {
				n, err := limitOf(c.Col(0), i)
				if err != nil {
					return err
				}
				limits[i] = uint64(n)
				return memory.SetLimit(n)
			})
		}, "Sets the maximum number of bytes that aggregates and functions may use, such as 2147483648 or '2GiB'. The default is 15% of the memory that the machine or the process's cgroup allows; DuckDB's own default is 80%.",
			"SELECT ccbf_memory_limit(2147483648)", params(duck.Param{Name: "bytes", Type: duck.Any})),
		function("process", "ccbf_version", duck.Varchar, func(c *call) error {
			return c.each(func(i int) error {
				c.out.SetString(i, Version)
				return nil
			})
		}, "Version of these functions.", "SELECT ccbf_version()", nil),
	}
	for i := range fns {
		fns[i].Overloads[0].Volatile = true
	}
	return fns
}

// limitOf reads a number of bytes, or a text such as '2GiB'.
func limitOf(v *duck.Vector, i int) (int64, error) {
	if v.Type() == duck.Varchar {
		return memory.ParseBytes(string(v.Bytes(i)))
	}
	n, err := args.Count("bytes", v, i, 1, math.MaxUint64)
	return int64(min(n, math.MaxInt64)), err
}
