package shell

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
)

// Set runs the dot command of a setting.
func (sh *Shell) Set(name string, args ...string) error {
	c, err := findCommand(name)
	if err != nil {
		return err
	}
	return c.run(sh, args)
}

// toggle returns a command that turns a setting on or off.
func toggle(name, help string, of func(sh *Shell) *bool) command {
	return command{name, "on|off", help, 1, 1, func(sh *Shell, args []string) error {
		switch strings.ToLower(args[0]) {
		case "on", "yes", "true", "1":
			*of(sh) = true
		case "off", "no", "false", "0":
			*of(sh) = false
		default:
			return fmt.Errorf("%q must be on or off", args[0])
		}
		return nil
	}, func(sh *Shell) string { return states[*of(sh)] }}
}

var states = map[bool]string{true: "on", false: "off"}

// number returns a command that sets a number of things, which may be 0.
func number(name, help, things string, of func(sh *Shell) *int) command {
	return command{name, "N", help, 1, 1, func(sh *Shell, args []string) error {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 {
			return fmt.Errorf("%q must be a number of %s", args[0], things)
		}
		*of(sh) = n
		return nil
	}, func(sh *Shell) string { return strconv.Itoa(*of(sh)) }}
}

// text returns a command that sets a text.
func text(name, help string, of func(sh *Shell) *string) command {
	return command{name, "TEXT", help, 1, 1, func(sh *Shell, args []string) error {
		*of(sh) = args[0]
		return nil
	}, func(sh *Shell) string {
		if text := *of(sh); text != "" {
			return strconv.Quote(text)
		}
		return "set by the mode"
	}}
}

// turn returns the function of a command that sets whether mode duckbox prints columns as lines.
func turn(on bool) func(sh *Shell, args []string) error {
	return func(sh *Shell, _ []string) error {
		sh.Turned = on
		return nil
	}
}

// dotShow prints the settings under the names of the commands that change them.
func (sh *Shell) dotShow([]string) (err error) {
	for _, c := range commands {
		if c.show != nil && err == nil {
			err = sh.printf("%10s: %s\n", c.name, c.show(sh))
		}
	}
	return err
}

func (sh *Shell) dotMode(args []string) error {
	if len(args) == 0 {
		for _, m := range render.Modes {
			mark := " "
			if m.Name == sh.mode.Name {
				mark = "*"
			}
			if err := sh.printf("%s %-10s %s\n", mark, m.Name, m.Help); err != nil {
				return err
			}
		}
		return nil
	}
	mode, err := render.Find(args[0])
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if mode.Name != "insert" {
			return fmt.Errorf("mode %s takes no table, only mode insert does", mode.Name)
		}
		sh.Table = identifier(args[1])
	}
	sh.mode = mode
	return nil
}

func (sh *Shell) showMode() string {
	if sh.mode.Name == "insert" && sh.Table != "" {
		return "insert " + sh.Table
	}
	return sh.mode.Name
}

func (sh *Shell) dotNull(args []string) error {
	sh.null = &args[0]
	return nil
}

func (sh *Shell) showNull() string {
	if sh.null != nil {
		return strconv.Quote(*sh.null)
	}
	return strconv.Quote(sh.mode.Null)
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

func (sh *Shell) showWidths() string {
	if len(sh.Widths) == 0 {
		return "as needed"
	}
	return strings.Trim(fmt.Sprint(sh.Widths), "[]")
}

// blobs says whether BLOBs are printed in full or shortened. A sketch is shortened to a
// description.
type blobs string

const (
	blobsAuto  blobs = "auto" // short in modes for people; on a terminal, short in all modes
	blobsFull  blobs = "full"
	blobsShort blobs = "short"
)

func (sh *Shell) dotBlobs(args []string) error {
	switch b := blobs(args[0]); b {
	case blobsAuto, blobsFull, blobsShort:
		sh.blobs = b
		return nil
	}
	return fmt.Errorf("%q must be auto, full or short", args[0])
}

// shortBlobs reports whether a result in this mode has its BLOBs shortened.
func (sh *Shell) shortBlobs(mode *render.Mode) bool {
	return sh.blobs == blobsShort || sh.blobs == blobsAuto && (mode.Short || sh.file() == nil && terminal.Is(os.Stdout))
}
