package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// nextOutput is the destination of the next result (.once).
type nextOutput struct {
	file *os.File
	show bool // in a program, when it is written
	used bool // a dot command has printed to it
}

// file is where results go; nil for standard output.
func (sh *Shell) file() *os.File {
	if sh.once != nil {
		return sh.once.file
	}
	return sh.output
}

func (sh *Shell) dotOnce(args []string) error {
	f, err := os.Create(args[0])
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
	return sh.setOnce(&nextOutput{file: f, show: true})
}

// setOnce takes the place of another .once, which had no result.
func (sh *Shell) setOnce(next *nextOutput) error {
	err := sh.dropOnce()
	sh.once = next
	return err
}

func (sh *Shell) dropOnce() error {
	if sh.once != nil {
		sh.once.show = false
	}
	return sh.endOnce()
}

// endOnce closes the file of .once, which has its result, and shows that of .excel.
func (sh *Shell) endOnce() error {
	o := sh.once
	if o == nil {
		return nil
	}
	sh.once = nil
	if err := o.file.Close(); err != nil || !o.show {
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

// mode is that of the next result.
func (sh *Shell) mode() render.Mode {
	if sh.once != nil && sh.once.show {
		if csv, err := render.Find("csv"); err == nil {
			return csv
		}
	}
	return sh.Mode
}

// closeFiles closes what results were written to.
func (sh *Shell) closeFiles() error { return errors.Join(sh.dropOnce(), sh.closeOutput()) }
