package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/reeflective/readline"
	"golang.org/x/term"
)

const prompt = "ccbfsql> "

// CanPrompt reports that there is someone to talk to.
func CanPrompt() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("TERM") != "dumb"
}

// Interactive talks to the user until they leave.
func (sh *Shell) Interactive(version string) error {
	sh.signals.stayWhenIdle()
	past, err := loadHistory(historyPath())
	if err != nil {
		fmt.Fprintf(sh.stderr, "no history: %v\n", err)
	}
	rl := newReadline(past)
	if err := sh.PrintVersion(version); err != nil {
		return err
	}
	if err := sh.printf("Statements end with a semicolon. .help lists the commands, .functions the functions.\n"); err != nil {
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
		// Everything typed runs up to its first error.
		err = sh.runLines(strings.NewReader(text), "")
		if errors.Is(err, errQuit) {
			return nil
		}
		if errors.Is(err, ErrClosedPipe) {
			return err
		}
		if err != nil {
			sh.Complain(err)
		}
	}
}

// newReadline sets up the line editor. Completion and highlighting have their
// places here: rl.Completer and rl.SyntaxHighlighter.
func newReadline(past *history) *readline.Shell {
	rl := readline.NewShell()
	rl.History.Add("statements", past)
	rl.Prompt.Primary(func() string { return prompt })
	rl.AcceptMultiline = func(line []rune) bool { return complete(string(line)) }
	for name, value := range map[string]any{
		// Results end with a line break, so the cursor's place is known. Asking
		// the terminal on every key would be slow over a network, and hangs
		// where nobody answers.
		"cursor-position-probe": false,
		// Lines of one statement are indented below the first, without marks in
		// front: the marks would be drawn over lines that wrap.
		"multiline-column": false,
	} {
		_ = rl.Config.Set(name, value)
	}
	return rl
}

// complete decides whether Enter runs the text or starts another line.
func complete(text string) bool {
	if isDot(text) && !strings.Contains(strings.TrimRight(text, "\n"), "\n") {
		return true
	}
	return lexer.Complete(text)
}
