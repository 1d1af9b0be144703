package shell

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

// create opens a file to write to. If its name begins with |, it is a pipe to the command that follows.
func (sh *Shell) create(name string) (*os.File, error) {
	command, piped := strings.CutPrefix(name, "|")
	if !piped {
		return os.Create(name)
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := systemCommand(command)
	cmd.Stdin = from
	err = errors.Join(cmd.Start(), from.Close())
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	sh.readers[to] = cmd
	return to, nil
}

// close closes a file of create. It waits for the command that reads a pipe.
func (sh *Shell) close(f *os.File) error {
	err := f.Close()
	if cmd := sh.readers[f]; cmd != nil {
		delete(sh.readers, f)
		err = errors.Join(err, exited(cmd.Wait()))
	}
	return err
}

// pipe is a pipe to a command. The command may end before it has read everything.
type pipe struct{ *os.File }

func (p pipe) Write(b []byte) (int, error) {
	if n, err := p.File.Write(b); !errors.Is(err, ErrClosedPipe) {
		return n, err
	}
	return len(b), nil
}

// redirect sets the destination of .output or .log to a file, in place of the previous one. name
// can also be stdout or stderr; off means none.
func (sh *Shell) redirect(to **os.File, name, off string) (err error) {
	if f := *to; f != nil && f != os.Stdout && f != os.Stderr {
		err = sh.close(f)
	}
	*to = nil
	if err != nil {
		return err
	}
	switch name {
	case off:
	case "stdout":
		*to = os.Stdout
	case "stderr":
		*to = os.Stderr
	default:
		f, err := sh.create(name)
		if err != nil {
			return err
		}
		*to = f
	}
	return nil
}

// fileName returns the name of a destination for .show. It returns none if f is nil.
func (sh *Shell) fileName(f *os.File, none string) string {
	switch f {
	case nil:
		return none
	case os.Stdout:
		return "stdout"
	case os.Stderr:
		return "stderr"
	}
	return f.Name()
}

func (sh *Shell) dotOutput(args []string) error {
	return errors.Join(sh.setOnce(nil), sh.redirect(&sh.output, cmp.Or(pattern(args), "stdout"), "stdout"))
}

func (sh *Shell) dotLog(args []string) error { return sh.redirect(&sh.log, args[0], "off") }

// nextOutput is the destination of the next result (.once, .excel).
type nextOutput struct {
	file  *os.File
	excel bool // .excel: the file is CSV, and is opened in the program for that
	used  bool // a dot command has printed to the file
}

// file returns the file that results go to; nil means standard output.
func (sh *Shell) file() *os.File {
	if sh.once != nil {
		return sh.once.file
	}
	return sh.output
}

func (sh *Shell) dotOnce(args []string) error {
	f, err := sh.create(args[0])
	if err != nil {
		return err
	}
	return sh.setOnce(&nextOutput{file: f})
}

func (sh *Shell) dotExcel([]string) error {
	f, err := os.CreateTemp("", "ccbfsql-*.csv")
	if err != nil {
		return err
	}
	return sh.setOnce(&nextOutput{file: f, excel: true})
}

// setOnce sets the destination of the next result, in place of one that received no result.
func (sh *Shell) setOnce(next *nextOutput) (err error) {
	if sh.once != nil {
		err = sh.close(sh.once.file)
	}
	sh.once = next
	return err
}

// endOnce closes the file of .once. For .excel, it opens the file in the program for CSV files.
func (sh *Shell) endOnce() error {
	o := sh.once
	if err := sh.setOnce(nil); err != nil || o == nil || !o.excel {
		return err
	}
	words := []string{"xdg-open"}
	switch runtime.GOOS {
	case "windows":
		words = []string{"cmd", "/C", "start", ""}
	case "darwin":
		words = []string{"open"}
	}
	words = append(words, o.file.Name())
	if err := exec.Command(words[0], words[1:]...).Run(); err != nil {
		return fmt.Errorf("the result is in %s, which cannot be opened: %w", o.file.Name(), err)
	}
	return nil
}

// dotCd changes the working folder of the process. File names are relative to it from then on.
func (sh *Shell) dotCd(args []string) error {
	folder := pattern(args)
	if rest, ok := strings.CutPrefix(folder, "~"); ok || folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		folder = filepath.Join(home, rest)
	}
	return os.Chdir(folder)
}

// dotShell runs a system command, which reads from and writes to the same terminal.
func (sh *Shell) dotShell(args []string) error {
	cmd := systemCommand(args[0])
	cmd.Stdin = os.Stdin
	return exited(cmd.Run())
}

// systemCommand returns a command for the system's shell, which writes to the same terminal.
func systemCommand(text string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", text)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/C", text)
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// exited returns the error of a command that has ended.
func exited(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command ended with %s", exit.ProcessState)
	}
	return err
}

// dotOpen opens another database and closes the present one. If the new one cannot be opened, the
// present one stays open.
func (sh *Shell) dotOpen(args []string) error {
	next, err := session.Open(sh.ctx, session.Options{Path: pattern(args)})
	if err != nil {
		return err
	}
	before := sh.session
	sh.session = next
	return before.Close()
}

// dotImport inserts a file's rows into a table, which it creates if it does not exist. DuckDB
// recognises the format by the file's name; other names are read as CSV.
func (sh *Shell) dotImport(args []string) error {
	source, table := lexer.QuoteText(args[0]), identifier(args[1])
	if !session.DataFile.MatchString(args[0]) {
		source = "read_csv(" + source + ")"
	}
	if _, err := sh.ask("FROM " + table + " LIMIT 0"); err != nil {
		return sh.execute("CREATE TABLE " + table + " AS FROM " + source)
	}
	return sh.execute("INSERT INTO " + table + " FROM " + source)
}

// identifier quotes each part of a name such as database.schema.table.
func identifier(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = lexer.QuoteName(strings.Trim(part, `"`))
	}
	return strings.Join(parts, ".")
}
