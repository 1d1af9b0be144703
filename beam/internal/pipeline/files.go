package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*finishFn]())
	register.Iter1[File]()
}

// A run's files have names of their own while they are written, which no glob
// of *.parquet matches. Only when all of them are complete does one worker give
// them their names: a run that ends before leaves nothing that counts.

// File is a complete file that waits for its name.
type File struct {
	Temp, Name string
	Rows       int64
	Bytes      int64 // of sketches
}

// names of the files that a run writes: sketches, and bad rows.
func (o *Options) sketchFile(shard int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.parquet", o.Out, shard, o.Files)
}

func (o *Options) badFile(shard int) string {
	return fmt.Sprintf("%s-bad-%05d-of-%05d.csv", o.Out, shard, o.Files)
}

// tempMark stands in the names of unfinished files.
const tempMark = ".unfinished-"

// leftover is what runs under the same Out wrote, whatever the number of their
// files was.
func (o *Options) leftover(ctx context.Context) ([]string, error) {
	var out []string
	for _, pattern := range []string{"-?????-of-?????.parquet", "-bad-?????-of-?????.csv"} {
		files, err := list(ctx, o.Out+pattern)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// checkOut returns an error where a run's files would stand beside those of an
// earlier one, whose points would then count twice.
func (o *Options) checkOut(ctx context.Context) error {
	if strings.ContainsAny(o.Out, "*?[\\") {
		return fmt.Errorf("-out %s is a glob: give the prefix of the output files", o.Out)
	}
	files, err := o.leftover(ctx)
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	if len(files) > 0 && !o.Overwrite {
		return fmt.Errorf("-out %s: %s exists from an earlier run, and its points would count twice; choose another -out, or replace it with -overwrite", o.Out, files[0])
	}
	return nil
}

// write writes a file under a name of its own. An error names the file that it
// was to be.
func write(ctx context.Context, name string, body func(io.Writer) error) (temp string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", name, err)
		}
	}()
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", err
	}
	defer closing(fs)
	temp = name + tempMark + rand.Text()
	f, err := fs.OpenWrite(ctx, temp)
	if err != nil {
		return "", err
	}
	if err := errors.Join(body(f), f.Close()); err != nil {
		if r, ok := fs.(filesystem.Remover); ok {
			err = errors.Join(err, r.Remove(ctx, temp))
		}
		return "", err
	}
	return temp, nil
}

// finishFn gives all files of a run their names.
type finishFn struct{ Options Options }

// ProcessElement removes what an earlier run left, where it may, and renames. It
// may be run again after it was interrupted. In between, points may be missing;
// none counts twice.
func (f *finishFn) ProcessElement(ctx context.Context, _ []byte, files func(*File) bool) error {
	o := &f.Options
	fs, err := filesystem.New(ctx, o.Out)
	if err != nil {
		return err
	}
	defer closing(fs)
	byName := map[string]File{}
	var one File
	for files(&one) {
		byName[one.Name] = one
	}
	if o.Overwrite {
		old, err := o.leftover(ctx)
		if err != nil {
			return err
		}
		if err := removeOthers(ctx, fs, old, byName); err != nil {
			return err
		}
	}
	for name, file := range byName {
		if err := filesystem.Rename(ctx, fs, file.Temp, name); err != nil {
			if left, _ := fs.List(ctx, file.Temp); len(left) == 0 {
				if there, _ := fs.List(ctx, name); len(there) > 0 {
					continue // renamed before this attempt
				}
			}
			return fmt.Errorf("finishing %s: %w", name, err)
		}
		outputCounter.Inc(ctx, 1)
	}
	log.Infof(ctx, "%d files finished", len(byName))
	return nil
}

func removeOthers(ctx context.Context, fs filesystem.Interface, old []string, keep map[string]File) error {
	r, ok := fs.(filesystem.Remover)
	if !ok && len(old) > 0 {
		return fmt.Errorf("-overwrite: this file system cannot remove %s", old[0])
	}
	for _, name := range old {
		if _, ok := keep[name]; ok {
			continue
		}
		if err := r.Remove(ctx, name); err != nil {
			return fmt.Errorf("-overwrite: %w", err)
		}
	}
	return nil
}

// finish adds the end of a run to the pipeline.
func finish(s beam.Scope, o *Options, files ...beam.PCollection) {
	beam.ParDo0(s, &finishFn{*o}, beam.Impulse(s), beam.SideInput{Input: beam.Flatten(s, files...)})
}

// sweep removes the unfinished files of a run that failed.
func (o *Options) sweep(ctx context.Context) error {
	fs, err := filesystem.New(ctx, o.Out)
	if err != nil {
		return err
	}
	defer closing(fs)
	r, ok := fs.(filesystem.Remover)
	if !ok {
		return nil
	}
	files, err := fs.List(ctx, o.Out+"-*"+tempMark+"*")
	for _, name := range files {
		err = errors.Join(err, r.Remove(ctx, name))
	}
	return err
}
