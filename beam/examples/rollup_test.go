// Package examples has SQL scripts that use a pipeline's sketches.
package examples

import (
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/beam/internal/pipeline"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write what the script prints to rollup.out")

// TestMain removes temporary files that Beam leaves behind.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ccbf-test-")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("TMPDIR", dir)
	code := ptest.MainRet(m)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// TestRollup checks that the script prints rollup.out, over the output of the pipelines in its
// first lines. It compares bytes and counts with results from the points.
func TestRollup(t *testing.T) {
	build := exec.Command("go", "tool", "-n", "ccbfsql")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	build.Stderr = os.Stderr
	shell, err := build.Output()
	require.NoError(t, err)
	dir := t.TempDir()
	run := func(script string) string {
		t.Helper()
		path, err := filepath.Abs(script)
		require.NoError(t, err)
		c := exec.Command(strings.TrimSpace(string(shell)), "-f", path)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", script, out)
		return string(out)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "points"), 0o755))
	run("points.sql")
	for _, year := range []string{"2017", "2018"} {
		o := pipeline.NewOptions()
		o.In, o.Out = []string{filepath.Join(dir, "points", year+".parquet")}, filepath.Join(dir, "out", year)
		o.Zoom, o.Time, o.Res = 10, "day", "0.001"
		_, err := pipeline.Build(context.Background(), o, io.Discard)
		require.NoError(t, err)
	}
	have := run("rollup.sql")
	if *rewrite {
		require.NoError(t, os.WriteFile("rollup.out", []byte(have), 0o644))
	}
	want, err := os.ReadFile("rollup.out")
	require.NoError(t, err)
	require.Equal(t, string(want), have)
}
