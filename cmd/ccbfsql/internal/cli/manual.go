package cli

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/shell"
)

// manuals are templates of the manual page and of shell completions. Their data is a []command.
//
//go:embed manual
var manuals embed.FS

// command is one command of the program.
type command struct {
	Name  string // name of the command; "": the shell, which has no name
	Usage string // help text above the flags
	Flags []flagHelp
}

// flagHelp is the help text of a flag.
type flagHelp struct {
	Name, Value, Help string // Value is "" if the flag has no value
}

// commands returns all commands with their flags.
func commands() []command {
	return []command{
		{"", usage, flagHelps(shellFlags(&arguments{}))},
		{"serve", serveUsage, flagHelps(serveFlags(&serve.Options{}))},
		{"export", exportUsage, flagHelps(exportFlags(&serve.Export{}))},
	}
}

func flagHelps(flags *flag.FlagSet) (out []flagHelp) {
	flags.VisitAll(func(f *flag.Flag) {
		value, help := flag.UnquoteUsage(f)
		out = append(out, flagHelp{f.Name, value, help})
	})
	return out
}

// manualMain prints the manual page or the completions of a shell, and returns its exit code.
func manualMain(args []string) int {
	err := writeManual(os.Stdout, args)
	if err == nil || errors.Is(err, shell.ErrClosedPipe) {
		return exitCode(err)
	}
	fmt.Fprintf(os.Stderr, "ccbfsql %s: %v\n", args[0], err)
	return exitUsage
}

func writeManual(w io.Writer, args []string) error {
	file := "ccbfsql.1"
	switch {
	case args[0] == "man" && len(args) > 1:
		return fmt.Errorf("no arguments are expected, but %q were given", args[1:])
	case args[0] == "completion":
		if len(args) != 2 || args[1] != "bash" && args[1] != "zsh" && args[1] != "fish" {
			return fmt.Errorf("give one of bash, zsh and fish, not %q", args[1:])
		}
		file = "completion." + args[1]
	}
	t, err := template.New(file).Funcs(template.FuncMap{
		"roff":   strings.NewReplacer(`\`, `\\`, "-", `\-`, "\n.", "\n\\&.").Replace,
		"quoted": strings.NewReplacer(`\`, `\\`, "'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace,
		"fish":   strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace,
	}).ParseFS(manuals, "manual/"+file)
	if err != nil {
		return err
	}
	return t.Execute(w, commands())
}
