package shell

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// command is a dot command.
type command struct {
	name string
	args string // arguments as .help shows them, for example "FILE TABLE"
	help string
	min  int // least number of arguments
	max  int // largest number of arguments; below 0: any number
	run  func(sh *Shell, args []string) error
	show func(sh *Shell) string // returns the setting's value for .show; nil: the command is no setting
}

// asTyped as command.max means one argument: the rest of the line, with its quotes and blanks.
const asTyped = -2

// commands lists the dot commands. It is filled in init because .help, one of them, reads it.
var commands []command

func init() {
	commands = []command{
		toggle("bail", "Stop a script at its first error; default on", func(sh *Shell) *bool { return &sh.bail }),
		{"blobs", "auto|full|short", "Show BLOBs in full or shortened; auto: in full in files for programs", 1, 1, (*Shell).dotBlobs, func(sh *Shell) string { return string(sh.blobs) }},
		{"cd", "[FOLDER]", "Change to a folder, or to the home folder", 0, 1, (*Shell).dotCd, nil},
		toggle("changes", "Print how many rows a statement changed", func(sh *Shell) *bool { return &sh.changes }),
		{"columns", "", "Show results in mode duckbox with one line per column", 0, 0, turn(true), func(sh *Shell) string { return states[sh.Turned] }},
		{"databases", "", "List attached databases", 0, 0, list(databasesQuery), nil},
		{"dump", "[PATTERN]", "Write the database, or matching tables, as SQL", 0, 1, (*Shell).dotDump, nil},
		toggle("echo", "Print each statement before it runs", func(sh *Shell) *bool { return &sh.echo }),
		{"excel", "", "Open the next result in the program for CSV files", 0, 0, (*Shell).dotExcel, nil},
		{"exit", "[CODE]", "Exit, with the exit code", 0, 1, (*Shell).dotExit, nil},
		{"functions", "[PATTERN]", "List the functions of ccbfsql, or those with a matching name or summary", 0, 1, (*Shell).dotFunctions, nil},
		toggle("headers", "Print column names", func(sh *Shell) *bool { return &sh.Header }),
		{"help", "[NAME]", "Show this list, or what a command or function does", 0, 1, (*Shell).dotHelp, nil},
		toggle("highlight", "Colour what is typed at the prompt", func(sh *Shell) *bool { return &sh.highlight }),
		{"import", "FILE TABLE", "Load a CSV, Parquet or JSON file into a new or existing table", 2, 2, (*Shell).dotImport, nil},
		{"indexes", "[TABLE]", "List indexes, or those of a table", 0, 1, list(indexesQuery), nil},
		{"log", "FILE|off", "Write statements to the file, stdout or stderr before they run", 1, 1, (*Shell).dotLog, func(sh *Shell) string { return sh.fileName(sh.log, "off") }},
		{"map", "[OPTIONS] QUERY", "Draw a sketch on the terminal or to a file", 1, asTyped, (*Shell).dotMap, nil},
		number("maxrows", "Maximum number of rows in mode duckbox; 0: all", "rows; 0 means all", func(sh *Shell) *int { return &sh.MaxRows }),
		number("maxwidth", "Maximum line length in mode duckbox; 0: terminal width", "characters; 0 means the width of the terminal", func(sh *Shell) *int { return &sh.maxWidth }),
		{"mode", "[MODE] [TABLE]", "Set the output mode (for insert, with a table), or list the modes", 0, 2, (*Shell).dotMode, (*Shell).showMode},
		{"nullvalue", "TEXT", "Text for NULL, except in JSON", 1, 1, (*Shell).dotNull, (*Shell).showNull},
		{"once", "FILE", "Write the next result to the file or \"|COMMAND\"", 1, 1, (*Shell).dotOnce, nil},
		{"open", "[FILE]", "Switch to another database; without a file, in memory", 0, 1, (*Shell).dotOpen, nil},
		{"output", "[FILE]", "Write results to the file, \"|COMMAND\" or the screen", 0, 1, (*Shell).dotOutput, func(sh *Shell) string { return sh.fileName(sh.file(), "stdout") }},
		toggle("pager", "At the prompt, show long results with $PAGER or less", func(sh *Shell) *bool { return &sh.paging }),
		{"print", "TEXT...", "Print the text", 0, -1, (*Shell).dotPrint, nil},
		text("prompt", "Text of the prompt", func(sh *Shell) *string { return &sh.prompt }),
		{"quit", "", "Exit", 0, 0, (*Shell).dotExit, nil},
		{"read", "FILE", "Run the statements in the file", 1, 1, func(sh *Shell, args []string) error { return sh.RunFile(args[0]) }, nil},
		{"rows", "", "Show results with one line per row, the default", 0, 0, turn(false), nil},
		{"schema", "[PATTERN]", "Show the CREATE statements of tables, views and indexes", 0, 1, list(schemaQuery), nil},
		text("separator", "Text between values in modes csv and list", func(sh *Shell) *string { return &sh.Separator }),
		{"shell", "COMMAND", "Run a system command", 1, asTyped, (*Shell).dotShell, nil},
		{"show", "", "Show the settings", 0, 0, (*Shell).dotShow, nil},
		{"system", "COMMAND", "Run a system command, like .shell", 1, asTyped, (*Shell).dotShell, nil},
		{"tables", "[PATTERN]", "List tables and views", 0, 1, list(tablesQuery), nil},
		toggle("timer", "Print how long each statement took", func(sh *Shell) *bool { return &sh.timer }),
		{"width", "[N...]", "Widths in mode column; below 0: right-aligned, 0: auto", 0, -1, (*Shell).dotWidth, (*Shell).showWidths},
	}
}

// dot runs a line that begins with a dot: it finds the command, checks the number of arguments and
// shows the output in the pager.
func (sh *Shell) dot(line string) error {
	if err := foreign(line); err != nil {
		return err
	}
	word, rest, err := nextWord(line)
	if err != nil {
		return err
	}
	c, err := findCommand(strings.TrimPrefix(strings.TrimRight(word, ";"), "."))
	if err != nil {
		return err
	}
	args := []string{rest}
	if c.max != asTyped || rest == "" {
		if !strings.HasPrefix(c.args, "TEXT") { // a text may end with a semicolon
			rest = strings.TrimRight(rest, " \t\r\n;")
		}
		if args, err = splitWords(rest); err != nil {
			return err
		}
	}
	if len(args) < c.min || c.max >= 0 && len(args) > c.max {
		return fmt.Errorf("usage: .%s %s; the number of arguments was %d", c.name, c.args, len(args))
	}
	switch c.name {
	case "read", "map", "shell", "system": // no pager for the command: statements of .read start their own; pictures and system commands need none
		err = c.run(sh, args)
	default:
		err = sh.paged(func() error { return c.run(sh, args) })
	}
	if sh.once != nil && sh.once.used {
		err = errors.Join(err, sh.endOnce())
	}
	return c.named(err)
}

// named adds the name of the command to an error about its arguments or files. Statements that .read runs
// have errors of their own, and interrupts and exit codes are no errors of the command.
func (c *command) named(err error) error {
	if err == nil || c.name == "read" || ends(err) || errors.Is(err, session.ErrInterrupted) {
		return err
	}
	return fmt.Errorf(".%s: %w", c.name, err)
}

// findCommand returns the command of a name, or the only command whose name begins with it.
func findCommand(name string) (command, error) {
	var names, fits []string
	var found command
	for _, c := range commands {
		if c.name == name {
			return c, nil
		}
		names = append(names, "."+c.name)
		if name != "" && strings.HasPrefix(c.name, name) {
			fits = append(fits, "."+c.name)
			found = c
		}
	}
	switch len(fits) {
	case 0:
		return command{}, fmt.Errorf("unknown command .%s%s", name, cmp.Or(help.Suggestion("."+name, names), "; .help lists the commands"))
	case 1:
		return found, nil
	}
	return command{}, fmt.Errorf(".%s may mean %s: type more letters", name, strings.Join(fits, " or "))
}

// splitWords splits the arguments of a dot command at blanks outside quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	for line != "" {
		word, rest, err := nextWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

// nextWord splits off the first word of a line, and the blanks around it. Single and double quotes
// keep blanks. Within double quotes a backslash escapes the next character, and \n and \t mean a
// line break and a tab.
func nextWord(line string) (word, rest string, err error) {
	const blanks = " \t\r\n"
	line = strings.TrimLeft(line, blanks)
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '"' && c == '\\' && i+1 < len(line):
			i++
			switch line[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(line[i])
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(blanks, c) >= 0:
			return b.String(), strings.TrimLeft(line[i:], blanks), nil
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", fmt.Errorf("the line ends within a quote: close it with %c", quote)
	}
	return b.String(), "", nil
}

// matches reports whether a pattern matches a name, ignoring case. The wildcards * and % match any
// text. A pattern without a wildcard matches anywhere in the name.
func matches(pattern, name string) bool {
	if !strings.ContainsAny(pattern, "*%") {
		pattern = "*" + pattern + "*"
	}
	expr := strings.NewReplacer(`\*`, ".*", "%", ".*").Replace(regexp.QuoteMeta(pattern))
	ok, _ := regexp.MatchString("(?is)^"+expr+"$", name) // an error means that the pattern is not UTF-8: it matches nothing
	return ok
}

func pattern(args []string) string {
	return slices.Concat(args, []string{""})[0]
}
