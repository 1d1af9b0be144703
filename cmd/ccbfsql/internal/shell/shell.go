// Package shell is the SQL shell: it reads statements and dot commands from scripts and from the
// terminal, runs them and prints their results.
package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/charmbracelet/x/ansi"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// ErrClosedPipe means that the reader of the output has closed it, as head does.
const ErrClosedPipe = syscall.EPIPE

// Shell runs statements on a session.
type Shell struct {
	// Settings that flags and dot commands change. The rest of render.Options follows from the mode and the
	// destination of a result.
	render.Options
	mode      render.Mode
	null      *string // Text for NULL; nil: the mode's own text.
	paging    bool    // Long results at the prompt go to a pager.
	timer     bool    // Print how long each statement ran.
	bail      bool    // The first error ends a script.
	echo      bool    // Print statements before they run.
	blobs     blobs
	maxWidth  int  // Width of a duckbox in characters; 0: the terminal's width.
	changes   bool // Print how many rows a statement changed.
	highlight bool // Colours at the prompt.
	prompt    string

	session     *session.Session
	ctx         context.Context        // Ctrl-C cancels it.
	output      *os.File               // File of .output; nil: standard output.
	log         *os.File               // Destination of .log; nil: none.
	readers     map[*os.File]*exec.Cmd // The commands that read the pipes among these files.
	changed     int64                  // Rows that all statements changed, for .changes.
	once        *nextOutput            // Destination of the next result; nil: none.
	pager       *pager                 // Pager of the present output; nil: none.
	failed      bool                   // A statement failed while bail was off.
	dir         string                 // Folder of the running script.
	depth       int                    // Number of scripts that are running, each read by .read of the one before.
	interactive bool                   // Statements come from a prompt.
}

// New returns a shell on a session. The end of ctx interrupts its statements. Close closes the
// session too.
func New(ctx context.Context, s *session.Session) *Shell {
	families := filters.Families()
	describe := func(bytes string) (words string, ok bool) { return sketch.Describe(families, []byte(bytes)) }
	return &Shell{
		Options: render.Options{Header: true, MaxRows: 40, Describe: describe},
		mode:    render.Modes[0], paging: true, bail: true, blobs: blobsAuto, highlight: true, prompt: prompt,
		session: s, ctx: ctx, readers: map[*os.File]*exec.Cmd{},
	}
}

// Close closes the files of .output, .once and .log, and the session.
func (sh *Shell) Close() error {
	return errors.Join(sh.dotOutput(nil), sh.dotLog([]string{"off"}), sh.session.Close())
}

// Version returns the versions of the program and of DuckDB.
func Version() string {
	return fmt.Sprintf("ccbfsql %s with DuckDB %s", ccbfsql.Version(), mapping.LibraryVersion())
}

func (sh *Shell) out() io.Writer {
	if f := sh.file(); f != nil {
		if sh.readers[f] != nil {
			return pipe{f}
		}
		return f
	}
	if sh.pager != nil {
		return sh.pager
	}
	return os.Stdout
}

// printf writes to the destination of results.
func (sh *Shell) printf(format string, args ...any) error {
	if sh.once != nil {
		sh.once.used = true
	}
	_, err := fmt.Fprintf(sh.out(), format, args...)
	return err
}

// execute runs one statement and prints its result.
func (sh *Shell) execute(sql string) error {
	defer sh.session.Idle()
	if sh.log != nil {
		if _, err := io.WriteString(sh.log, strings.TrimRight(strings.TrimSpace(sql), ";")+";\n"); err != nil {
			return err
		}
	}
	if text := cmp.Or(namedArgument(sql), pictureAsText(sql)); text != "" {
		defer sh.note(text)
	}
	return sh.noted(func() error {
		begin := time.Now()
		err := cmp.Or(sh.print(sql), sh.endOnce())
		if sh.timer && !errors.Is(err, ErrClosedPipe) {
			// The time is printed after an error too.
			err = errors.Join(err, sh.printf("Run Time: real %.3f s\n", time.Since(begin).Seconds()))
		}
		return err
	})
}

// noted runs f, and prints notes on areas and categories that matched no sketch.
func (sh *Shell) noted(f func() error) error {
	notes.Take() // discard the notes of queries that the shell ran for itself
	err := f()
	if texts := notes.Take(); err == nil {
		for _, text := range texts {
			sh.note(text)
		}
	}
	return err
}

func (sh *Shell) note(text string) { sh.remark(ansi.AttrYellowForegroundColor, "Note:", text) }

// remark prints a text to standard error after its kind, which has a colour on a terminal.
func (sh *Shell) remark(colour ansi.Attr, kind, text string) {
	if colourful(os.Stderr) {
		kind = ansi.SGR(colour) + kind + ansi.ResetStyle
	}
	fmt.Fprintln(os.Stderr, kind, text)
}

func (sh *Shell) print(sql string) error {
	bar := sh.session.ShowProgress(os.Stderr)
	defer bar.Stop()
	mode := sh.mode
	if sh.once != nil && sh.once.excel {
		mode, _ = render.Find("csv") // the mode exists
	}
	result, err := sh.session.Run(sh.ctx, sql, mode.JSON)
	if err != nil {
		return err
	}
	defer result.Close()
	switch {
	case result.Silent:
		return sh.count(result.Rows)
	case result.Plan && mode.Plans:
		bar.Stop()
		return sh.paged(func() error { return sh.printPlan(result.Rows, sh.options(&mode).Null) })
	default:
		return sh.paged(func() error {
			out := sh.out()
			if sh.file() == nil {
				bar.To, out = out, bar
			}
			return mode.Render(out, result.Rows, sh.options(&mode))
		})
	}
}

func (sh *Shell) options(mode *render.Mode) render.Options {
	o := sh.Options
	o.Null, o.Width, o.Short = mode.Null, sh.width(), sh.shortBlobs(mode)
	o.Colours = sh.file() == nil && colourful(os.Stdout)
	if sh.pager != nil && sh.file() == nil {
		o.Page = render.Page{Lines: sh.pager.height, Wide: sh.pager.wide()}
	}
	if sh.null != nil {
		o.Null = *sh.null
	}
	return o
}

// width returns the width for boxes in characters: the setting maxwidth, the terminal's width, or 0
// for no limit in a file or a pipe.
func (sh *Shell) width() int {
	if sh.maxWidth > 0 {
		return sh.maxWidth
	}
	if sh.file() != nil || !terminal.Is(os.Stdout) {
		return 0
	}
	width, _ := terminal.Size(os.Stdout)
	return width
}

// printPlan prints the output of EXPLAIN or sketch_help unchanged.
func (sh *Shell) printPlan(rows render.Rows, null string) error {
	for row, err := range rows.All {
		if err == nil {
			cell := row.Cell(len(rows.Columns) - 1)
			if cell.Null {
				cell.Text = null
			}
			err = sh.printf("%s\n", strings.TrimRight(cell.Text, "\n"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
