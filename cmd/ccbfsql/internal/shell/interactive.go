package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

const prompt = "ccbfsql> "

// CanPrompt reports whether standard input and output are a terminal that can show a prompt.
func CanPrompt() bool {
	return terminal.Is(os.Stdin) && terminal.Is(os.Stdout) && os.Getenv("TERM") != "dumb"
}

// Interactive reads statements at a prompt and runs them until the user leaves.
func (sh *Shell) Interactive() error {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // Ctrl-C never ends the shell
	sh.ctx = context.Background()
	sh.interactive = true
	past, err := openHistory(historyPath())
	if err != nil {
		fmt.Fprintf(os.Stderr, "no history: %v\n", err)
		past = readline.NewInMemoryHistory()
	}
	known, err := sh.catalog()
	if err != nil {
		return err
	}
	rl := newReadline(past, &editor{sh: sh, known: known, colours: colourful(os.Stdout)})
	if err := sh.printf("%s\nStatements end with a semicolon. .help lists the commands, .functions the functions.\n", Version()); err != nil {
		return err
	}
	for {
		text, err := rl.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		// The statements of one input run up to the first error.
		err = sh.runInput(text)
		if ends(err) {
			return err
		}
		if err != nil {
			sh.complain(err)
		}
	}
}

// runInput runs one input of the prompt. Ctrl-C interrupts it.
func (sh *Shell) runInput(text string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	sh.ctx = ctx
	defer func() { sh.ctx = context.Background() }()
	return sh.RunReader(strings.NewReader(text), "")
}

// newReadline returns the line editor with history, colours, completion and hints.
func newReadline(past readline.History, e *editor) *readline.Shell {
	rl := readline.NewShell()
	rl.History.Add(e.plain("history"), past)
	rl.Prompt.Primary(func() string { return e.sh.prompt })
	rl.AcceptMultiline = func(line []rune) bool { return ended(string(line)) }
	rl.SyntaxHighlighter = func(line []rune) string { return e.draw(string(line)) }
	rl.Completer = func(line []rune, cursor int) readline.Completions { return e.complete(line, cursor) }
	rl.Hint.SetProvider(func(line []rune, cursor int) []rune { return []rune(e.hint(string(line[:cursor]))) })
	for name, value := range map[string]any{
		// Results end with a line break, so the cursor's position is known. Asking the terminal at
		// every key would be slow over a network, and would block if the terminal does not answer.
		"cursor-position-probe": false,
		// Further lines of a statement are indented and have no marks in front, because marks would
		// be drawn over lines that wrap.
		"multiline-column": false,
		// Pasted text is inserted unchanged, line breaks included, and runs at Enter.
		"enable-bracketed-paste": true,
		// Tab inserts what all candidates have in common, and lists the candidates.
		"menu-complete-display-prefix": true,
		"completion-ignore-case":       true,
		// Characters such as ö are text. Otherwise they would mean Meta with another key.
		"convert-meta":  false,
		"comment-begin": commentMark,
	} {
		_ = rl.Config.Set(name, value)
	}
	if !e.colours {
		// The line editor has colours of its own, and appends these sequences to them.
		_ = rl.Config.Set("completion-selection-style", ansi.ResetStyle+ansi.SGR(ansi.AttrReverse))
		_ = rl.Config.Set("completion-description-style", ansi.ResetStyle)
	}
	// The line editor's own self-insert takes a character such as ö for Meta-v, and moves the
	// cursor by two for a wide character.
	rl.Keymap.Register(map[string]func(){"self-insert": func() {
		rl.History.SkipSave()
		if keys := rl.Keys.Caller(); len(keys) > 0 && (unicode.IsGraphic(keys[0]) || unicode.IsMark(keys[0])) {
			rl.Cursor().InsertAt(keys[0])
		}
	}})
	// At the end of the text, the line editor's own functions for Delete and Ctrl-D delete the character before it.
	deleteChar := func() {
		rl.History.Save()
		for n := rl.Iterations.Get(); n > 0 && rl.Cursor().Pos() < rl.Line().Len(); n-- {
			rl.Line().CutRune(rl.Cursor().Pos())
		}
	}
	rl.Keymap.Register(map[string]func(){"delete-char": deleteChar, "end-of-file": func() {
		if rl.Line().Len() > 0 {
			deleteChar()
			return
		}
		rl.Display.AcceptLine()
		rl.History.Accept(false, false, io.EOF)
	}})
	const deleteKey = "\x1b[3~"
	if rl.Config.Binds["emacs"][deleteKey].Action == "" { // the line editor binds it for vi only
		_ = rl.Config.Bind("emacs", deleteKey, "delete-char", false)
	}
	// The arrow keys move between the lines of a statement, and beyond its first and last line
	// through the history. Key bindings of the user remain.
	for _, binds := range rl.Config.Binds {
		for keys, bind := range binds {
			switch bind.Action {
			case "previous-history":
				bind.Action = "up-line-or-history"
			case "next-history":
				bind.Action = "down-line-or-history"
			}
			binds[keys] = bind
		}
	}
	return rl
}

// ended reports whether Enter runs the text. Otherwise Enter starts another line.
func ended(text string) bool {
	_, ok := commandIn(text)
	return ok && !strings.Contains(strings.TrimSpace(text), "\n") || lexer.Complete(text)
}

const (
	historyEnv  = "CCBFSQL_HISTORY"
	historyKept = 10_000 // largest number of statements that stay when the history is loaded
)

// historyPath returns the file of the history: CCBFSQL_HISTORY, or a file in the user's state
// folder. It returns "" if CCBFSQL_HISTORY is empty: no history is stored.
func historyPath() string {
	if path, ok := os.LookupEnv(historyEnv); ok {
		return path
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ccbfsql", "history")
}

// openHistory returns the history in a file, to which the line editor appends each statement at once. So
// two shells can share the file and a crash loses nothing. Without a path, the history is in memory.
func openHistory(path string) (readline.History, error) {
	if path == "" {
		return readline.NewInMemoryHistory(), nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	all := strings.SplitAfter(string(text), "\n")
	// The line editor would read nothing after a line that is longer than a scanner allows.
	kept := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return len(line) >= bufio.MaxScanTokenSize })
	kept = kept[max(0, len(kept)-historyKept):]
	if len(kept) < len(all) || err != nil { // a missing file is created
		next := path + ".new"
		if err := os.WriteFile(next, []byte(strings.Join(kept, "")), 0o600); err != nil {
			return nil, err
		}
		if err := os.Rename(next, path); err != nil {
			return nil, err
		}
	}
	return readline.NewHistoryFromFile(path)
}
