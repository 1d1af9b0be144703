package ccbfsql

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of make in README.md is a target of the Makefile.
func TestReadmeMake(t *testing.T) {
	readme, makefile := readFile(t, "README.md"), readFile(t, "Makefile")
	commands := regexp.MustCompile("(?m)(?:`|^)make ((?:[a-z-]+ ?)+)").FindAllStringSubmatch(readme, -1)
	if len(commands) < 4 {
		t.Fatalf("only %d commands of make found", len(commands))
	}
	for _, c := range commands {
		for _, target := range regexp.MustCompile("[a-z-]+").FindAllString(c[1], -1) {
			if !regexp.MustCompile("(?m)^" + target + ":").MatchString(makefile) {
				t.Errorf("README.md has make %s, but the Makefile has no target %s", c[1], target)
			}
		}
	}
}

// make help lists every target with a description.
func TestMakeHelp(t *testing.T) {
	out, err := exec.Command("make", "-s", "help").CombinedOutput()
	if err != nil {
		t.Skipf("skipped: no make here: %v", err)
	}
	targets := regexp.MustCompile("(?m)^([a-z0-9-]+):.* ## ").FindAllStringSubmatch(readFile(t, "Makefile"), -1)
	for _, target := range targets {
		if !strings.Contains(string(out), "make "+target[1]+" ") {
			t.Errorf("make help does not list %s", target[1])
		}
	}
}

// The Go code of README.md compiles as printed and opens a database.
func TestReadmeGo(t *testing.T) {
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(readFile(t, "README.md"))
	if code == nil {
		t.Fatal("README.md has no Go code")
	}
	// Inside the module; its name keeps it out of ./...
	folder, err := os.MkdirTemp(".", "_readme") //nolint:usetesting // not inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	program := `package main

import "github.com/ccbfsql/ccbfsql/connector"

func main() {
	` + code[1] + `
	if err == nil {
		err = db.Ping()
	}
	if err != nil {
		panic(err)
	}
}
`
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "readme")
	if out, err := exec.Command("go", "build", "-o", binary, "./"+folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(binary)
	run.Dir = t.TempDir()
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// README.md has at most 150 lines.
func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readFile(t, "README.md"), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, want at most 150", n)
	}
}
