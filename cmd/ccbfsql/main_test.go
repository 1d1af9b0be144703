package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/cli"
	"github.com/cockroachdb/datadriven"
)

// The tests run the command itself: the test binary under another name. They are all in this
// package, because linking a program with DuckDB takes long.

const command = "ccbfsql"

var binDir string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == command {
		os.Exit(cli.Main(os.Args[1:]))
	}
	os.Exit(func() int {
		var err error
		if binDir, err = os.MkdirTemp("", command); err != nil {
			panic(err)
		}
		defer os.RemoveAll(binDir)
		self, err := os.Executable()
		if err != nil {
			panic(err)
		}
		if err := os.Symlink(self, filepath.Join(binDir, command)); err != nil {
			panic(err)
		}
		os.Setenv("HOME", binDir) // without the tester's own start file
		os.Setenv("PATH", binDir+string(os.PathListSeparator)+os.Getenv("PATH"))
		return m.Run()
	}())
}

// seconds matches the times in .timer's lines, which differ from run to run.
var seconds = regexp.MustCompile(`real \d+\.\d{3} s`)

// TestCommand runs the shell commands in testdata/commands and compares their output, with standard
// error last. -rewrite writes new expectations.
func TestCommand(t *testing.T) {
	datadriven.Walk(t, "testdata/commands", func(t *testing.T, path string) {
		dir := t.TempDir()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "file":
				var name string
				d.ScanArgs(t, "name", &name)
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(d.Input+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return ""
			case "sh":
				return shell(t, dir, d.Input)
			}
			t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			return ""
		})
	})
}

func shell(t *testing.T, dir, script string) string {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var out strings.Builder
	out.Write(stdout.Bytes())
	if stderr.Len() > 0 {
		fmt.Fprintf(&out, "-- stderr:\n%s", &stderr)
	}
	if exit != nil {
		fmt.Fprintf(&out, "-- exit status %d\n", exit.ExitCode())
	}
	return seconds.ReplaceAllString(out.String(), "real N s")
}
