// Package output protects files from being replaced by what a command writes.
package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Check returns an error if the file exists and is not one that the same command wrote. mark is a text
// in the first bytes of those. Empty files, and devices such as /dev/stdout, may be written too.
func Check(file, mark string) error {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	start, err := io.ReadAll(io.LimitReader(f, 512))
	if err == nil && !bytes.Contains(start, []byte(mark)) {
		err = fmt.Errorf("%s exists and is another kind of file: remove it, or choose another name", file)
	}
	return err
}
