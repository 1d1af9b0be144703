package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Summary counts what a run, or a step of it, read and wrote. With the names of complete files it
// is the manifest of a run.
type Summary struct {
	Run     string              `json:"run"`
	SQL     string              `json:"sql"`
	Rows    int64               `json:"rows"`          // Rows that are not bad.
	Sent    int64               `json:"sent"`          // Bytes of results sent between workers.
	Written int64               `json:"written"`       // Rows of the written files.
	Bytes   int64               `json:"bytes"`         // Bytes of the written files.
	Bad     map[string]*BadRows `json:"bad,omitempty"` // The bad rows by the reason why they are bad.
	Files   []string            `json:"files"`
}

// BadRows has the number of bad rows of one reason, and examples.
type BadRows struct {
	Rows     int64    `json:"rows"`
	Examples []BadRow `json:"examples"`
}

// BadRow is a row that was left out of the query, and the reason.
type BadRow struct {
	File   string `json:"file"`
	Row    int64  `json:"row"` // number of the row in its file, from 1; the header of a CSV file is not counted
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// maxExamples is the largest number of examples of a reason.
const maxExamples = 100

// bad adds n bad rows of a reason, and examples up to maxExamples.
func (s *Summary) bad(reason string, n int64, examples ...BadRow) {
	if s.Bad == nil {
		s.Bad = map[string]*BadRows{}
	}
	r := s.Bad[reason]
	if r == nil {
		r = &BadRows{}
		s.Bad[reason] = r
	}
	r.Rows += n
	r.Examples = append(r.Examples, examples[:min(len(examples), maxExamples-len(r.Examples))]...)
}

// add adds the counts of another step.
func (s *Summary) add(o *Summary) {
	s.Rows += o.Rows
	s.Sent += o.Sent
	s.Written += o.Written
	s.Bytes += o.Bytes
	s.Files = append(s.Files, o.Files...)
	for reason, r := range o.Bad {
		s.bad(reason, r.Rows, r.Examples...)
	}
}

// check returns an error if a run has more bad rows than -max-bad allows.
func (s *Summary) check(most int64) error {
	n := int64(0)
	var worst BadRow
	for _, r := range s.Bad {
		n += r.Rows
		worst = r.Examples[0]
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

// report writes the summary for people.
func (s *Summary) report(w io.Writer, manifest string, took time.Duration) {
	fmt.Fprintf(w, "%16d  good rows\n", s.Rows)
	for _, reason := range slices.Sorted(maps.Keys(s.Bad)) {
		fmt.Fprintf(w, "%16d  bad: %s\n", s.Bad[reason].Rows, reason)
	}
	fmt.Fprintf(w, "%16d  bytes sent to be united\n%16d  rows written, in %d files of %d bytes\n%15.1fs  in all\n%s names the files\n",
		s.Sent, s.Written, len(s.Files), s.Bytes, took.Seconds(), manifest)
}

// manifestSuffix follows -out in the name of a manifest.
const manifestSuffix = ".manifest.json"

// publish renames the files of a finished run to their final names and writes its manifest.
func (p *Plan) publish(ctx context.Context) (*Summary, error) {
	fs, err := filesystem.New(ctx, p.Out)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	s, err := p.summary(ctx, fs)
	if err != nil {
		return nil, err
	}
	if err := s.check(p.MaxBad); err != nil {
		return nil, err
	}
	s.Run, s.SQL = strings.TrimPrefix(path.Base(p.Folder), path.Base(p.Out)+runMark), p.SQL
	slices.Sort(s.Files)
	for i, temp := range s.Files {
		s.Files[i] = strings.TrimSuffix(temp, path.Ext(temp))
		if err := filesystem.Rename(ctx, fs, temp, s.Files[i]); err != nil {
			return nil, fmt.Errorf("finishing %s: %w", s.Files[i], err)
		}
	}
	if err := remove(ctx, fs, p.Folder, s.Files); err != nil {
		return nil, err
	}
	final, temp := p.Out+manifestSuffix, p.Folder+"manifest"
	if err := s.write(ctx, temp); err != nil {
		return nil, err
	}
	old, err := p.earlier(ctx)
	if err != nil {
		return nil, err
	}
	if isLocal(final) && !p.Overwrite {
		// Unlike a rename, a link fails if another run has already written the manifest.
		if err = os.Link(temp, final); err == nil {
			_ = os.Remove(temp) // a second name of the manifest does no harm
		}
	} else {
		err = filesystem.Rename(ctx, fs, temp, final)
	}
	if err != nil {
		return nil, fmt.Errorf("finishing %s: %w", final, err)
	}
	for _, name := range old.Files { // the new manifest does not name the files of the earlier run, so their folders are removed
		if dir := path.Dir(name) + "/"; strings.HasPrefix(dir, p.Out+runMark) && dir != p.Folder {
			_ = remove(ctx, fs, dir, nil)
		}
	}
	return s, nil
}

// runMark stands between -out and the number of the run in the name of a run's folder.
const runMark = ".run-"

// earlier returns the manifest of an earlier run with the same -out, or an empty one. It returns an
// error if the manifest exists and must not be replaced.
func (p *Plan) earlier(ctx context.Context) (*Summary, error) {
	name := p.Out + manifestSuffix
	found, err := matches(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	if len(found) == 0 {
		return &Summary{}, nil
	}
	if !p.Overwrite {
		return nil, fmt.Errorf("-out %s: %s exists from an earlier run, whose points would count twice or be lost; choose another -out, or replace it with -overwrite", p.Out, name)
	}
	return readSummary(ctx, name)
}

// summary returns the first complete summary in the run's folder. All of them describe the same
// run.
func (p *Plan) summary(ctx context.Context, fs filesystem.Interface) (*Summary, error) {
	found, err := fs.List(ctx, p.Folder+summaryPrefix+"*")
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("the run wrote no summary to %s: it was cancelled by a user, or by the runner after it lost a worker (see its output), or its workers have another file system", p.Folder)
	for _, name := range found {
		var s *Summary
		if s, err = readSummary(ctx, name); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// readSummary reads a summary or a manifest.
func readSummary(ctx context.Context, name string) (*Summary, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	b, err := filesystem.Read(ctx, fs, name)
	if err != nil {
		return nil, err
	}
	s := &Summary{}
	return s, named(name, json.Unmarshal(b, s))
}

func (s *Summary) write(ctx context.Context, name string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return write(ctx, name, b)
}

// remove removes the files of a folder except those to keep, and the folder if it is then empty.
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
		_ = os.Remove(folder) // an error means that the folder does not exist, or still has files
	}
	return err
}
