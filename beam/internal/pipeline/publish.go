package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Summary is what a run read and wrote. Rows are the good ones, Sent the bytes that left the
// query over a part.
type Summary struct {
	Rows  int64               `json:"rows"`
	Sent  int64               `json:"sent"`
	Bad   map[string]*BadRows `json:"bad,omitempty"` // by reason
	Files []File              `json:"files,omitempty"`
}

// BadRows counts the bad rows of one reason, and has some of them.
type BadRows struct {
	Rows     int64    `json:"rows"`
	Examples []BadRow `json:"examples"`
}

func newSummary() *Summary { return &Summary{Bad: map[string]*BadRows{}} }

// bad adds n rows of a reason, and examples while there is room.
func (s *Summary) bad(reason string, n int64, examples ...BadRow) {
	r := s.Bad[reason]
	if r == nil {
		r = &BadRows{}
		s.Bad[reason] = r
	}
	r.Rows += n
	r.Examples = append(r.Examples, examples[:min(len(examples), maxExamples-len(r.Examples))]...)
}

// check returns an error where a run has more bad rows than it may.
func (s *Summary) check(most int64) error {
	n := int64(0)
	var worst *BadRow
	for _, r := range s.Bad {
		n += r.Rows
		if len(r.Examples) > 0 && worst == nil {
			worst = &r.Examples[0]
		}
	}
	if n == 0 || most >= 0 && n <= most || most < 0 && s.Rows > 0 {
		return nil
	}
	limit := "no row is good"
	if most >= 0 {
		limit = fmt.Sprintf("-max-bad is %d", most)
	}
	return fmt.Errorf("%d bad rows, and %s: for example %s, row %d: %s: %s", n, limit, worst.File, worst.Row, worst.Reason, worst.Text)
}

// report writes the summary as people read it.
func (s *Summary) report(w io.Writer, manifest string, took time.Duration) {
	fmt.Fprintf(w, "%16d  good rows\n", s.Rows)
	reasons := make([]string, 0, len(s.Bad))
	for reason := range s.Bad {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		fmt.Fprintf(w, "%16d  bad: %s\n", s.Bad[reason].Rows, reason)
	}
	rows, size := int64(0), int64(0)
	for _, f := range s.Files {
		rows += f.Rows
		size += f.Bytes
	}
	fmt.Fprintf(w, "%16d  bytes sent to be united\n%16d  rows written, in %d files of %d bytes\n%15.1fs  in all\n%s names the files\n", s.Sent, rows, len(s.Files), size, took.Seconds(), manifest)
}

// Manifest names the files of a run that is complete.
type Manifest struct {
	Run   string              `json:"run"`
	SQL   string              `json:"sql"`
	Rows  int64               `json:"rows"`
	Bad   map[string]*BadRows `json:"bad,omitempty"`
	Files []string            `json:"files"`
}

// manifestSuffix ends the name of a manifest, after -out.
const manifestSuffix = ".manifest.json"

// publish gives the files of a finished run their names and writes its manifest.
func (o *Options) publish(ctx context.Context, p *Plan, run string) (*Summary, error) {
	fs, err := filesystem.New(ctx, o.Out)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	s, err := readSummary(ctx, fs, p.Folder)
	if err != nil {
		return nil, err
	}
	if err := s.check(o.MaxBad); err != nil {
		return nil, err
	}
	m := Manifest{Run: run, SQL: o.SQL, Rows: s.Rows, Bad: s.Bad, Files: []string{}}
	for _, f := range s.Files {
		if err := filesystem.Rename(ctx, fs, f.Temp, f.Name); err != nil {
			return nil, fmt.Errorf("finishing %s: %w", f.Name, err)
		}
		m.Files = append(m.Files, f.Name)
	}
	slices.Sort(m.Files)
	if err := remove(ctx, fs, p.Folder, m.Files); err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	final, temp := o.Out+manifestSuffix, p.Folder+"manifest"
	if _, err := write(ctx, temp, bytes.NewReader(b)); err != nil {
		return nil, err
	}
	old, err := o.earlier(ctx)
	if err != nil {
		return nil, err
	}
	if isLocal(final) && !o.Overwrite {
		// A link, unlike a rename, fails where another run was faster.
		if err := os.Link(temp, final); err != nil {
			return nil, fmt.Errorf("finishing %s: %w", final, err)
		}
		_ = os.Remove(temp) // a second name of the manifest does no harm
	} else if err := filesystem.Rename(ctx, fs, temp, final); err != nil {
		return nil, fmt.Errorf("finishing %s: %w", final, err)
	}
	if old != nil { // no reader can find its files now
		for _, name := range old.Files {
			if dir := path.Dir(name) + "/"; strings.HasPrefix(dir, o.Out+runMark) && dir != p.Folder {
				_ = remove(ctx, fs, dir, nil)
			}
		}
	}
	return s, nil
}

// runMark stands between -out and the run in the name of a run's folder.
const runMark = ".run-"

// earlier is the manifest of an earlier run of the same -out; nil: there is none. It is an
// error where that may not be replaced.
func (o *Options) earlier(ctx context.Context) (*Manifest, error) {
	name := o.Out + manifestSuffix
	found, err := matches(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	if !o.Overwrite {
		return nil, fmt.Errorf("-out %s: %s exists from an earlier run, whose points would count twice or be lost; choose another -out, or replace it with -overwrite", o.Out, name)
	}
	return readManifest(ctx, name)
}

// readSummary is the first whole summary in a folder: all of them describe the same run.
func readSummary(ctx context.Context, fs filesystem.Interface, folder string) (*Summary, error) {
	found, err := fs.List(ctx, folder+summaryPrefix+"*")
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("the run wrote no summary to %s: its workers have another file system, or it did not end", folder)
	for _, name := range found {
		b, failed := read(ctx, name)
		s := &Summary{}
		if failed == nil {
			failed = json.Unmarshal(b, s)
		}
		if failed == nil {
			return s, nil
		}
		err = fmt.Errorf("%s: %w", name, failed)
	}
	return nil, err
}

// remove removes the files of a folder but some, and the folder where it is empty then.
func remove(ctx context.Context, fs filesystem.Interface, folder string, keep []string) error {
	found, err := fs.List(ctx, folder+"*")
	if err != nil {
		return err
	}
	r, ok := fs.(filesystem.Remover)
	if !ok {
		return errors.New("this file system cannot remove files")
	}
	for _, name := range found {
		if !slices.Contains(keep, name) {
			err = errors.Join(err, r.Remove(ctx, name))
		}
	}
	if isLocal(folder) && len(keep) == 0 {
		_ = os.Remove(folder) // it may not be there
	}
	return err
}
