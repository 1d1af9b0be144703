package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

func manual(t *testing.T, args ...string) string {
	t.Helper()
	var text strings.Builder
	if err := writeManual(&text, args); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// The manual page and all completions have every flag.
func TestManual(t *testing.T) {
	page := manual(t, "man")
	for _, c := range commands() {
		for _, f := range c.Flags {
			if want := `\fB\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`; !strings.Contains(page, want) {
				t.Errorf("the manual page lacks %s of %q", want, c.Name)
			}
			for shell, want := range map[string]string{"bash": "-" + f.Name, "zsh": "-" + f.Name + "[", "fish": "-o " + f.Name + " "} {
				if !strings.Contains(manual(t, "completion", shell), want) {
					t.Errorf("completions of %s lack %s", shell, want)
				}
			}
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"completion"}, "give one of bash, zsh and fish, not []"},
		{[]string{"completion", "tcsh"}, `give one of bash, zsh and fish, not ["tcsh"]`},
		{[]string{"man", "serve"}, `no arguments are expected, but ["serve"] were given`},
	} {
		if err := writeManual(&strings.Builder{}, c.args); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}

// Bash completes commands, files, and the flags of the command that was typed.
func TestCompletionInBash(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "ccbfsql.bash")
	for file, text := range map[string]string{script: manual(t, "completion", "bash"), filepath.Join(folder, "cities.duckdb"): ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string]string{
		"ccbfsql -readon":            "-readonly",
		"ccbfsql serve -add":         "-addr",
		"ccbfsql export -at":         "-at-least",
		"ccbfsql exp":                "export",
		"ccbfsql cit":                "cities.duckdb",
		"ccbfsql serve cit":          "cities.duckdb",
		"ccbfsql completion f":       "fish",
		"ccbfsql serve -readon":      "",
		"ccbfsql x.duckdb -no-stdin": "-no-stdin",
	} {
		run := exec.Command("bash", "-c", `. "$0"; COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ccbfsql; echo "${COMPREPLY[*]}"`, script, typed)
		run.Dir = folder
		out, err := run.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q completes to %q (%v), want %q", typed, got, err, want)
		}
	}
}

// TestExportFlags: export needs a folder and exactly one database.
func TestExportFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.duckdb")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string // text of the error
	}{
		{[]string{file, "-o", "site", "-at-least", "10"}, "<nil>"},
		{[]string{"-o", "site", "points.parquet"}, "stat points.parquet: no such file or directory"},
		{[]string{file}, "nothing to write to: give -o folder, or -single -o map.html"},
		{[]string{"-o", "site", "-at-least", "1", file}, "-at-least is 1, must be from 2 on, or 0 for all squares"},
		{[]string{"-o", "site"}, "exactly one database is needed, 0 were given"},
		{[]string{"-o", "site", "-res", "0.01", file}, "-save, -x, -y, -res and -time are for files of points, for example points.parquet, or with -table; " + file + " is read as a database"},
		{[]string{"-o", "site", "-memory", "0", file}, "-memory is 0, must be above 0"},
	} {
		var e serve.Export
		err := parseMap(exportFlags(&e), exportUsage, &e.Options, c.args)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
		if err == nil && (e.Folder != "site" || e.AtLeast != 10 || e.File != file) {
			t.Errorf("%q: %+v", c.args, e)
		}
	}
}
