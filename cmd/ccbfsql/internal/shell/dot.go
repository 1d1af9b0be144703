package shell

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

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
}

// asTyped as command.max means one argument: the rest of the line, with its quotes and blanks.
const asTyped = -2

// commands lists the dot commands. It is filled in init because .help, one of them, reads it.
var commands []command

func init() {
	commands = []command{
		{"bail", "on|off", "Stop a script at its first error; default on", 1, 1, toggle(func(s *Settings) *bool { return &s.Bail })},
		{"blobs", "auto|full|short", "Show BLOBs in full or shortened; auto: in full in files for programs", 1, 1, (*Shell).dotBlobs},
		{"cd", "[FOLDER]", "Change to a folder, or to the home folder", 0, 1, (*Shell).dotCd},
		{"changes", "on|off", "Print how many rows a statement changed", 1, 1, toggle(func(s *Settings) *bool { return &s.Changes })},
		{"columns", "", "Show results in mode duckbox with one line per column", 0, 0, (*Shell).dotColumns},
		{"databases", "", "List attached databases", 0, 0, (*Shell).dotDatabases},
		{"dump", "[PATTERN]", "Write the database, or matching tables, as SQL", 0, 1, (*Shell).dotDump},
		{"echo", "on|off", "Print each statement before it runs", 1, 1, toggle(func(s *Settings) *bool { return &s.Echo })},
		{"excel", "", "Open the next result in the program for CSV files", 0, 0, (*Shell).dotExcel},
		{"exit", "[CODE]", "Exit, with the exit code", 0, 1, (*Shell).dotExit},
		{"functions", "[PATTERN]", "List the functions of ccbfsql, or those with a matching name or summary", 0, 1, (*Shell).dotFunctions},
		{"headers", "on|off", "Print column names", 1, 1, toggle(func(s *Settings) *bool { return &s.Header })},
		{"help", "[NAME]", "Show this list, or what a command or function does", 0, 1, (*Shell).dotHelp},
		{"highlight", "on|off", "Colour what is typed at the prompt", 1, 1, toggle(func(s *Settings) *bool { return &s.Highlight })},
		{"import", "FILE TABLE", "Load a CSV, Parquet or JSON file into a new or existing table", 2, 2, (*Shell).dotImport},
		{"indexes", "[TABLE]", "List indexes, or those of a table", 0, 1, (*Shell).dotIndexes},
		{"log", "FILE|off", "Write statements to the file, stdout or stderr before they run", 1, 1, (*Shell).dotLog},
		{"map", "[OPTIONS] QUERY", "Draw a sketch on the terminal or to a file", 1, asTyped, (*Shell).dotMap},
		{"maxrows", "N", "Maximum number of rows in mode duckbox; 0: all", 1, 1, (*Shell).dotMaxRows},
		{"maxwidth", "N", "Maximum line length in mode duckbox; 0: terminal width", 1, 1, (*Shell).dotMaxWidth},
		{"mode", "[MODE] [TABLE]", "Set the output mode (for insert, with a table), or list the modes", 0, 2, (*Shell).dotMode},
		{"nullvalue", "TEXT", "Text for NULL, except in JSON", 1, 1, (*Shell).dotNull},
		{"once", "FILE", "Write the next result to the file", 1, 1, (*Shell).dotOnce},
		{"open", "[FILE]", "Switch to another database; without a file, in memory", 0, 1, (*Shell).dotOpen},
		{"output", "[FILE]", "Write results to the file; without one, to the screen", 0, 1, (*Shell).dotOutput},
		{"pager", "on|off", "At the prompt, show long results with $PAGER or less", 1, 1, toggle(func(s *Settings) *bool { return &s.Pager })},
		{"print", "TEXT...", "Print the text", 0, -1, (*Shell).dotPrint},
		{"prompt", "TEXT", "Text of the prompt", 1, 1, (*Shell).dotPrompt},
		{"quit", "", "Exit", 0, 0, (*Shell).dotQuit},
		{"read", "FILE", "Run the statements in the file", 1, 1, (*Shell).dotRead},
		{"rows", "", "Show results with one line per row, the default", 0, 0, (*Shell).dotRows},
		{"schema", "[PATTERN]", "Show the CREATE statements of tables, views and indexes", 0, 1, (*Shell).dotSchema},
		{"separator", "TEXT", "Text between values in modes csv and list", 1, 1, (*Shell).dotSeparator},
		{"shell", "COMMAND", "Run a system command", 1, asTyped, (*Shell).dotShell},
		{"show", "", "Show the settings", 0, 0, (*Shell).dotShow},
		{"system", "COMMAND", "Run a system command, like .shell", 1, asTyped, (*Shell).dotShell},
		{"tables", "[PATTERN]", "List tables and views", 0, 1, (*Shell).dotTables},
		{"timer", "on|off", "Print how long each statement took", 1, 1, toggle(func(s *Settings) *bool { return &s.Timer })},
		{"width", "[N...]", "Widths in mode column; below 0: right-aligned, 0: auto", 0, -1, (*Shell).dotWidth},
	}
}

// toggle returns the function of a command that turns a setting on or off.
func toggle(setting func(s *Settings) *bool) func(sh *Shell, args []string) error {
	return func(sh *Shell, args []string) error {
		on, err := onOff(args[0])
		if err == nil {
			*setting(&sh.Settings) = on
		}
		return err
	}
}

// dot runs a line that begins with a dot: it finds the command, checks the number of arguments and
// shows the output in the pager.
func (sh *Shell) dot(line string) error {
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
	return err
}

// findCommand returns the command of a name, or the only command whose name begins with it.
func findCommand(name string) (command, error) {
	var fits []string
	var found command
	for _, c := range commands {
		if c.name == name {
			return c, nil
		}
		if name != "" && strings.HasPrefix(c.name, name) {
			fits = append(fits, "."+c.name)
			found = c
		}
	}
	switch len(fits) {
	case 0:
		names := make([]string, len(commands))
		for i, c := range commands {
			names[i] = c.name
		}
		if near := help.Nearest(name, names); near != "" {
			return command{}, fmt.Errorf("unknown command .%s; did you mean .%s?", name, near)
		}
		return command{}, fmt.Errorf("unknown command .%s; .help lists the commands", name)
	case 1:
		return found, nil
	}
	return command{}, fmt.Errorf(".%s may mean %s: type more letters", name, strings.Join(fits, " or "))
}

// splitWords splits the arguments of a dot command at blanks outside quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	line = strings.TrimRight(line, " \t\r\n;")
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

func onOff(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "on", "yes", "true", "1":
		return true, nil
	case "off", "no", "false", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q must be on or off", text)
}

func pattern(args []string) string {
	return slices.Concat(args, []string{""})[0]
}
