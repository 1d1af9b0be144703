package shell

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// QuitError ends the shell with an exit code.
type QuitError struct{ Code int }

func (e *QuitError) Error() string { return fmt.Sprintf("quit with code %d", e.Code) }
func (e *QuitError) Unwrap() error { return errQuit }

// mostCode is the largest exit code that operating systems keep.
const mostCode = 255

func (sh *Shell) dotExit(args []string) error {
	if len(args) == 0 {
		return errQuit
	}
	code, err := strconv.Atoi(args[0])
	if err != nil || code < 0 || code > mostCode {
		return fmt.Errorf("the exit code %q must be a whole number from 0 to %d", args[0], mostCode)
	}
	return &QuitError{code}
}

func (sh *Shell) dotPrompt(args []string) error {
	sh.Prompt = args[0]
	return nil
}

// dotLog starts to write each statement to a file before it runs. "off" stops that.
func (sh *Shell) dotLog(args []string) error {
	if err := sh.closeLog(); err != nil || args[0] == "off" {
		return err
	}
	switch name := args[0]; name {
	case "stdout":
		sh.log = &logFile{sh.stdout, name}
	case "stderr":
		sh.log = &logFile{sh.stderr, name}
	default:
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		sh.log = &logFile{f, name}
	}
	return nil
}

// logFile is the destination of .log: a file, standard output or standard error.
type logFile struct {
	io.Writer
	name string
}

func (sh *Shell) closeLog() error {
	if sh.log == nil {
		return nil
	}
	var err error
	if f, ok := sh.log.Writer.(*os.File); ok && f != sh.stdout && f != sh.stderr {
		err = f.Close()
	}
	sh.log = nil
	return err
}

// logged writes a statement to the destination of .log, if there is one.
func (sh *Shell) logged(sql string) error {
	if sh.log == nil {
		return nil
	}
	_, err := io.WriteString(sh.log, strings.TrimRight(strings.TrimSpace(sql), ";")+";\n")
	return err
}

func (sh *Shell) dotIndexes(args []string) error {
	where := ""
	if len(args) > 0 {
		where = " WHERE table_name = " + lexer.QuoteText(args[0])
	}
	rows, err := sh.ask("SELECT index_name FROM duckdb_indexes()" + where + " ORDER BY ALL")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := sh.printf("%s\n", row[0]); err != nil {
			return err
		}
	}
	return nil
}

// count reads the result of a statement that changes rows. With .changes on, it prints how many
// rows changed.
func (sh *Shell) count(rows render.Rows) error {
	changed, counts := int64(0), len(rows.Columns()) == 1 && rows.Columns()[0].Name == "Count"
	err := render.EachChunk(rows, func(chunk render.Chunk) bool {
		for i := 0; counts && i < chunk.Len(); i++ {
			n, _ := strconv.ParseInt(chunk.Cell(i, 0).Text, 10, 64) // DuckDB returns a number here
			changed += n
		}
		return true
	})
	sh.changed += changed
	if err != nil || !sh.Changes || !counts {
		return err
	}
	return sh.printf("changes: %d   total_changes: %d\n", changed, sh.changed)
}

// foreign returns an error for a command of psql, which names the command to use instead. It
// returns nil for any other line.
func foreign(line string) error {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(word, `\`) {
		return nil
	}
	ours := map[byte]string{'d': ".tables lists tables, .schema shows how they were created, DESCRIBE t lists the columns of t", 'l': ".databases lists the databases", 'i': ".read FILE runs a script", 'o': ".output FILE writes results to a file", 'x': ".mode line shows one value per line", 't': ".timer on prints times, .headers off leaves the names out", 'c': ".open FILE switches to another database", '!': ".shell COMMAND runs a system command"}
	hint := ".help lists the commands"
	if len(word) > 1 && ours[word[1]] != "" {
		hint = ours[word[1]]
	}
	return fmt.Errorf("%s is a command of psql; here %s", word, hint)
}
