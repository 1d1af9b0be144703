package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// nextOutput is the destination of the next result (.once, .excel).
type nextOutput struct {
	file *os.File
	show bool // the file is then opened in the program for its type
	used bool // a dot command has printed to the file
}

// file returns the file that results go to; nil means standard output.
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

// setOnce sets the destination of the next result, in place of one that received no result.
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

// endOnce closes the file of .once. For .excel, it opens the file in the program for CSV files.
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

// mode returns the output mode of the next result: CSV for .excel, and otherwise the setting.
func (sh *Shell) mode() render.Mode {
	if sh.once != nil && sh.once.show {
		if csv, err := render.Find("csv"); err == nil {
			return csv
		}
	}
	return sh.Mode
}

// closeFiles closes the files of .once and .output.
func (sh *Shell) closeFiles() error { return errors.Join(sh.dropOnce(), sh.closeOutput()) }
