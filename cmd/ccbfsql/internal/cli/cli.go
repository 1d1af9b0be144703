// Package cli parses the command line of ccbfsql and runs its commands.
package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/shell"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// Exit codes.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitInterrupted = 130
	exitClosedPipe  = 141 // the exit code after SIGPIPE
)

const usage = `ccbfsql is a SQL shell: DuckDB with the sketch functions of ccbfsql built in.

Usage: ccbfsql [flags] [database [sql...]]
       ccbfsql serve [flags] database    show its sketches on a map in the browser
       ccbfsql export -o folder database write that map as files for any web server
       ccbfsql completion bash           print completions of flags, also for zsh and fish
       ccbfsql man                       print the manual page
       ccbfsql version                   print the versions of ccbfsql and DuckDB
       ccbfsql help                      print this text

The database is a file, which is created if it does not exist; without one it is in
memory. Statements are read from -c, -f and arguments, in the order given, or else
from standard input, with a prompt on a terminal.`

// action is one step that the command line requests, such as -c or -f.
type action func(sh *shell.Shell) error

// arguments is the parsed command line.
type arguments struct {
	open     session.Options
	own      string   // Script of -init, or the user's start file; "": none.
	settings []action // Flags that change a setting, in their order. They apply after the script.
	first    []action // -cmd
	actions  []action // -c, -f and arguments
	version  bool
	batch    bool
	noInput  bool
}

// Main runs the command with these arguments and returns its exit code.
func Main(args []string) int {
	// Without SIGPIPE a closed pipe is an error of a write, so that the database is closed
	// properly.
	signal.Ignore(syscall.SIGPIPE)

	if len(args) > 0 {
		switch args[0] {
		case "serve":
			var o serve.Options
			return runMap(serveFlags(&o), serveUsage, &o, args[1:], func(ctx context.Context) error { return serve.Run(ctx, o, os.Stdout) })
		case "export":
			var e serve.Export
			return runMap(exportFlags(&e), exportUsage, &e.Options, args[1:], func(ctx context.Context) error { return e.Write(ctx, os.Stdout) })
		case "man", "completion":
			return manualMain(args)
		case "version", "help": // a database file of this name opens as ./version
			args = append([]string{"-" + args[0]}, args[1:]...)
		default:
			if err := misspelled(args[0]); err != nil {
				return usageCode("ccbfsql", err)
			}
		}
	}
	a, err := parse(args)
	if err != nil {
		return usageCode("ccbfsql", err)
	}
	return exitCode(a.run())
}

// statements are words with which a SQL statement begins that was given without -c.
var statements = []string{"select", "from", "with", "create", "copy", "insert", "show", "describe", "explain", "pragma", "attach", "load", "call"}

// misspelled returns an error for the name of a new database that is a SQL statement, or almost the name of a command.
func misspelled(word string) error {
	if first, _, more := strings.Cut(word, " "); more && slices.Contains(statements, strings.ToLower(first)) {
		if _, err := os.Stat(word); err != nil {
			return fmt.Errorf("%q is a statement and no file: give the database first, or -c before the statement", word)
		}
	}
	if strings.ContainsAny(word, `-./\:`) {
		return nil
	}
	near := help.Nearest(word, []string{"serve", "export", "completion", "man", "version", "help"})
	if near == "" {
		return nil
	}
	if _, err := os.Stat(word); err == nil {
		return nil
	}
	return fmt.Errorf("%q is neither a command nor a file; did you mean %q? ./%s is a new database", word, near, word)
}

// usageCode prints the error of a command line, unless it is a request for help, and returns the
// exit code.
func usageCode(command string, err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n%[1]s -help lists the flags\n", command, err)
	return exitUsage
}

func exitCode(err error) int {
	var quit *shell.QuitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quit):
		return quit.Code
	case errors.Is(err, shell.ErrClosedPipe):
		return exitClosedPipe
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintln(os.Stderr, err)
	}
	if errors.Is(err, session.ErrInterrupted) {
		return exitInterrupted
	}
	return exitError
}

// errReported means that a script printed its errors and went on.
var errReported = errors.New("some statements failed")

// shellFlags returns the flags of the shell, whose values go to a.
func shellFlags(a *arguments) *flag.FlagSet {
	flags := flag.NewFlagSet("ccbfsql", flag.ContinueOnError)
	for _, mode := range render.Modes {
		flags.BoolFunc(mode.Name, "output mode: "+mode.Help, a.set("mode", mode.Name))
	}
	for _, name := range []string{"c", "s"} {
		flags.Func(name, "run the `SQL` and exit; may be repeated", func(sql string) error {
			a.actions = append(a.actions, text(sql))
			return nil
		})
	}
	flags.Func("cmd", "run the `SQL` first, before all else; may be repeated", func(sql string) error {
		a.first = append(a.first, text(sql))
		return nil
	})
	flags.BoolVar(&a.batch, "batch", false, "never prompt: read statements from standard input, even a terminal")
	flags.BoolVar(&a.noInput, "no-stdin", false, "exit after -cmd, without reading standard input")
	flags.Func("f", "run the script `FILE` and exit; may be repeated, - is standard input", func(path string) error {
		a.actions = append(a.actions, func(sh *shell.Shell) error {
			if path == "-" {
				return sh.RunReader(os.Stdin, "stdin")
			}
			return sh.RunFile(path)
		})
		return nil
	})
	flags.BoolFunc("noheader", "do not print column names", a.set("headers", "off"))
	flags.BoolFunc("header", "print column names (default)", a.set("headers", "on"))
	flags.Func("nullvalue", "`TEXT` for NULL, except in JSON", a.set("nullvalue", ""))
	flags.Func("separator", "`TEXT` between values in modes csv and list", a.set("separator", ""))
	flags.BoolFunc("bail", "stop a script at its first error (default); -bail=false continues", a.set("bail", ""))
	flags.BoolFunc("echo", "print each statement before it runs", a.set("echo", "on"))
	flags.StringVar(&a.own, "init", "", "run the script `FILE` first, instead of ~/"+ownFile)
	flags.BoolFunc("no-init", "do not run ~/"+ownFile, func(string) error {
		a.own = ""
		return nil
	})
	flags.BoolVar(&a.open.ReadOnly, "readonly", false, "open the database read-only")
	flags.BoolVar(&a.open.Unsigned, "unsigned", false, "allow extensions that DuckDB has not signed")
	flags.BoolVar(&a.version, "version", false, "print the versions of ccbfsql and DuckDB")
	return flags
}

func parse(args []string) (*arguments, error) {
	a := &arguments{}
	flags := shellFlags(a)
	a.own = startFile()
	database := false
	if err := eachWord(flags, args, usage, func(word string) {
		if !database {
			a.open.Path, database = word, true
			return
		}
		a.actions = append(a.actions, text(word))
	}); err != nil {
		return nil, err
	}
	if session.DataFile.MatchString(a.open.Path) { // a new database would not have this name
		return a, exists(a.open.Path)
	}
	return a, nil
}

// exists returns an error if there is no file of data with a name. Names of URLs or of several files are left to
// DuckDB.
func exists(name string) error {
	if strings.Contains(name, "://") || strings.Contains(name, "*") {
		return nil
	}
	_, err := os.Stat(name)
	return err
}

// eachWord parses flags, which can stand between and after other arguments, and calls word with
// each of these. Help is printed with the usage above the flags.
func eachWord(flags *flag.FlagSet, args []string, usage string, word func(string)) error {
	flags.SetOutput(io.Discard) // the caller prints errors
	flags.Usage = func() {}
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Print(usage, "\n\nFlags:\n")
				flags.SetOutput(os.Stdout)
				flags.PrintDefaults()
			}
			return err
		}
		if args = flags.Args(); len(args) > 0 {
			word(args[0])
			args = args[1:]
		}
	}
	return nil
}

// set returns the function of a flag that runs a dot command. Its argument is the flag's own value,
// unless another one is given.
func (a *arguments) set(command, argument string) func(string) error {
	return func(text string) error {
		a.settings = append(a.settings, func(sh *shell.Shell) error { return sh.Set(command, cmp.Or(argument, text)) })
		return nil
	}
}

// text returns the action that runs a text of statements and dot commands.
func text(sql string) action {
	return func(sh *shell.Shell) error { return sh.RunReader(strings.NewReader(sql), "") }
}

// ownFile is the user's start file in the home folder.
const ownFile = ".ccbfsqlrc"

// startFile returns the path of the user's start file, or "" if there is none.
func startFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(home, ownFile)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func (a *arguments) run() (err error) {
	if a.version {
		_, err := fmt.Println(shell.Version())
		return err
	}
	duck.AddProcessor()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the process
	s, err := session.Open(ctx, a.open)
	if err != nil {
		return err
	}
	sh := shell.New(ctx, s)
	defer func() { err = errors.Join(err, sh.Close()) }()

	if a.own != "" {
		if err := sh.RunOwn(a.own); err != nil {
			return err
		}
	}
	for _, do := range slices.Concat(a.settings, a.first, a.actions) {
		if err := do(sh); err != nil {
			return err
		}
	}
	if len(a.actions) == 0 && !a.noInput {
		if shell.CanPrompt() && !a.batch {
			return sh.Interactive()
		}
		if err := sh.RunReader(os.Stdin, "stdin"); err != nil {
			return err
		}
	}
	if sh.Failed() {
		return errReported
	}
	return nil
}
