package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// Blobs says whether BLOBs are printed in full or shortened. A sketch is shortened to a
// description.
type Blobs string

// Values of Blobs.
const (
	BlobsAuto  Blobs = "auto" // short in modes for people; on a terminal, short in all modes
	BlobsFull  Blobs = "full"
	BlobsShort Blobs = "short"
)

func (sh *Shell) dotBlobs(args []string) error {
	switch b := Blobs(args[0]); b {
	case BlobsAuto, BlobsFull, BlobsShort:
		sh.Blobs = b
		return nil
	}
	return fmt.Errorf("%q must be auto, full or short", args[0])
}

// shortBlobs reports whether a result in this mode has its BLOBs shortened.
func (sh *Shell) shortBlobs(mode *render.Mode) bool {
	switch sh.Blobs {
	case BlobsFull:
		return false
	case BlobsShort:
		return true
	}
	return mode.Short || sh.file() == nil && isTerminal(sh.stdout)
}

func (sh *Shell) dotColumns([]string) error {
	sh.Turned = true
	return nil
}

func (sh *Shell) dotRows([]string) error {
	sh.Turned = false
	return nil
}

func (sh *Shell) dotMaxWidth(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return fmt.Errorf("%q must be a number of characters; 0 means the width of the terminal", args[0])
	}
	sh.MaxWidth = n
	return nil
}

// mostWidth is the widest column that .width accepts, in characters.
const mostWidth = 10_000

func (sh *Shell) dotWidth(args []string) error {
	var widths []int
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n > mostWidth || n < -mostWidth {
			return fmt.Errorf("the width %q must be a whole number from %d to %d; 0 means as needed", arg, -mostWidth, mostWidth)
		}
		widths = append(widths, n)
	}
	sh.Widths = widths
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
	defer sh.signals.leaveAlone()() // Ctrl-C goes to the command
	cmd := exec.Command("sh", "-c", args[0])
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/C", args[0])
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, sh.stdout, sh.stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command ended with %s", exit.ProcessState)
	}
	return err
}

// dotShow prints the settings under the names of the commands that change them.
func (sh *Shell) dotShow([]string) error {
	state := func(on bool) string { return map[bool]string{true: "on", false: "off"}[on] }
	null, separator, output, widths, log := sh.Mode.Null, "set by the mode", "stdout", "as needed", "off"
	if sh.log != nil {
		log = sh.log.name
	}
	if sh.Null != nil {
		null = *sh.Null
	}
	if sh.Separator != "" {
		separator = strconv.Quote(sh.Separator)
	}
	if f := sh.file(); f != nil {
		output = f.Name()
	}
	if len(sh.Widths) > 0 {
		widths = strings.Trim(fmt.Sprint(sh.Widths), "[]")
	}
	mode := sh.Mode.Name
	if mode == "insert" && sh.Table != "" {
		mode += " " + sh.Table
	}
	for _, s := range [][2]string{
		{"bail", state(sh.Bail)}, {"blobs", string(sh.Blobs)}, {"changes", state(sh.Changes)}, {"columns", state(sh.Turned)}, {"echo", state(sh.Echo)},
		{"headers", state(sh.Header)}, {"highlight", state(sh.Highlight)}, {"log", log}, {"maxrows", strconv.Itoa(sh.MaxRows)}, {"maxwidth", strconv.Itoa(sh.MaxWidth)}, {"mode", mode},
		{"nullvalue", strconv.Quote(null)}, {"output", output}, {"pager", state(sh.Pager)}, {"prompt", strconv.Quote(sh.Prompt)}, {"separator", separator},
		{"timer", state(sh.Timer)}, {"width", widths},
	} {
		if err := sh.printf("%10s: %s\n", s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}
