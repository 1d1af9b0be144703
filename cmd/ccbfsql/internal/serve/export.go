package serve

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/output"
	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// Export describes an export: the database, and where to write the files.
type Export struct {
	Options        // Only File, Points and Memory are used.
	Folder  string // Folder of the files, which is created. If Single is true, the name of the file.
	Single  bool   // Write one file that a browser opens from disk.
	AtLeast uint64 // Squares of the map with fewer points are removed; 0 and 1: none are.
}

// manifest is the first file that an exported page reads.
type manifest struct {
	Layers   []*exportedLayer    `json:"layers"`
	Sketches string              `json:"sketches"` // Name of the file with the sketches.
	Index    int                 `json:"index"`    // Number of bytes of the index (JSON) at the start of that file, before the first sketch.
	Palettes map[string][]string `json:"palettes"` // Colours of each palette, from few to many points.
	More     []string            `json:"more"`     // Colours of differences above 0.
	Less     []string            `json:"less"`     // Colours of differences below 0.
}

// exportedLayer is a layer with its extent and the keys of its categories.
type exportedLayer struct {
	*layer
	Look  *layerExtent `json:"look"`
	Keys  [][]byte     `json:"keys,omitempty"`  // keys of its categories
	Parts [][]int      `json:"parts,omitempty"` // for each category the indexes of its fields' values
}

// rowIndex is the index of a layer's rows: the position of each sketch, its bounds, and its values
// for filters.
type rowIndex struct {
	Lengths []int        `json:"lengths"` // bytes of each sketch, in the order of the file
	Bounds  [][4]float64 `json:"bounds"`
	Values  [][]int      `json:"values"` // the field values of each rowSketch
}

// Names of files in an export.
const (
	manifestFile = "manifest.json"
	sketchesFile = "sketches.bin"
)

// pageMark is an attribute of the page of an export.
const pageMark = `data-manifest="` + manifestFile + `"`

// Write writes the page, a manifest and all sketches. The page needs no server to answer queries.
// Layers with counters are left out, and out names them.
func (e Export) Write(ctx context.Context, out io.Writer) (err error) {
	page := filepath.Join(e.Folder, "index.html")
	if e.Single {
		page = e.Folder
		if info, err := os.Stat(page); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder: with -single, -o is a file, for example map.html", page)
		}
	}
	if err := output.Check(page, pageMark); err != nil {
		return err
	}
	s, end, err := e.server(ctx, out)
	if err != nil {
		return err
	}
	defer end()
	s.atLeast = e.AtLeast
	layers, err := s.all(ctx)
	if err != nil {
		return err
	}
	m, index, blobs, err := manifestOf(ctx, layers, out)
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		return err
	}
	files, err := pageFiles()
	if err != nil {
		return err
	}
	files[manifestFile], files[sketchesFile] = [][]byte{manifest}, append([][]byte{index}, blobs...)
	size := 0
	for _, b := range files[sketchesFile] {
		size += len(b)
	}
	if e.Single {
		return e.writeSingle(files, len(blobs), size, out)
	}
	if err := os.MkdirAll(filepath.Join(e.Folder, "assets"), 0o755); err != nil {
		return err
	}
	for name, parts := range files {
		if err := writeFile(filepath.Join(e.Folder, filepath.FromSlash(name)), parts...); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "Wrote %s: %d sketches in %d bytes. Any web server can serve the folder; byte ranges save transfers.\n", e.Folder, len(blobs), size)
	return nil
}

// writeFile writes the parts of a file one after another.
func writeFile(file string, parts ...[]byte) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	all := net.Buffers(parts)
	_, err = all.WriteTo(f)
	return errors.Join(err, f.Close())
}

// manifestOf returns the manifest of the layers that a page can show, the index and the sketches.
func manifestOf(ctx context.Context, layers []*layer, out io.Writer) (m *manifest, index []byte, blobs [][]byte, err error) {
	m = &manifest{Layers: []*exportedLayer{}, Sketches: sketchesFile, Palettes: map[string][]string{}}
	var rows []rowIndex
	for _, l := range layers {
		if l.Error == "" && l.Dense > 0 {
			l.Error = "its sketches are counters, which an exported page does not draw (build them with overflow: 'tree')"
		}
		if l.Error != "" || l.Rows == 0 {
			fmt.Fprintf(out, "Left out %s.%s: %s\n", l.Table, l.Column, cmp.Or(l.Error, "it has no sketches"))
			continue
		}
		at, err := l.look(ctx)
		if err != nil {
			return nil, nil, nil, err
		}
		m.Layers = append(m.Layers, &exportedLayer{l, at, l.keys, l.parts})
		r := rowIndex{Lengths: []int{}, Bounds: [][4]float64{}, Values: [][]int{}}
		for i := range l.sketches {
			p := &l.sketches[i]
			r.Lengths = append(r.Lengths, len(p.blob))
			r.Bounds = append(r.Bounds, boxOf(p.bounds))
			r.Values = append(r.Values, p.values)
			blobs = append(blobs, p.blob)
		}
		rows = append(rows, r)
	}
	if len(m.Layers) == 0 {
		return nil, nil, nil, errors.New("the database has no sketches that can be exported: ccbf_agg makes some")
	}
	for _, name := range picture.Palettes {
		m.Palettes[name] = hexesOf(picture.Colours(name))
	}
	m.More, m.Less = hexesOf(divergingPalette()[1:1+shades]), hexesOf(divergingPalette()[1+shades:])
	index, err = json.Marshal(rows)
	m.Index = len(index)
	return m, index, blobs, err
}

// pageFiles returns the files of the page by their names. Its HTML has the name of the manifest.
func pageFiles() (files map[string][][]byte, err error) {
	html, err := built.ReadFile("page/index.html")
	if err != nil {
		return nil, errors.New("this ccbfsql was built without the page of the map: make web builds it, for the next build")
	}
	html = bytes.Replace(html, []byte("<html "), []byte("<html "+pageMark+" "), 1)
	files = map[string][][]byte{"index.html": {html}}
	names, err := fs.Glob(built, "page/assets/*.gz")
	for _, name := range names {
		packed, readErr := built.ReadFile(name)
		text, textErr := inflated(packed)
		err = errors.Join(err, readErr, textErr)
		files[strings.TrimSuffix(strings.TrimPrefix(name, "page/"), ".gz")] = [][]byte{text}
	}
	return files, err
}

// mostSingle is the largest size of the sketches in a single file, in bytes.
const mostSingle = 64 << 20

// writeSingle writes the page as one file. Its script and style are inline. All other files are
// gzip in base64 (web/src/files.js).
func (e Export) writeSingle(files map[string][][]byte, sketches, size int, out io.Writer) error {
	if size > mostSingle {
		return fmt.Errorf("the sketches have %d bytes, a single file may have %d: leave -single out, or build smaller sketches", size, mostSingle)
	}
	var data bytes.Buffer
	// "</script" and "<!--" would end or change the script element. They occur only in strings of
	// the script, where the backslash does not change their value.
	script := strings.NewReplacer("</script", `<\/script`, "<!--", `<\!--`)
	html := taken(files, "index.html")
	inPlace := []struct{ tag, text string }{
		{`<script type="module" src="assets/main.js"></script>`, `<script type="module">` + script.Replace(taken(files, "assets/main.js")) + "</script>"},
		{`<link rel="stylesheet" href="assets/style.css">`, "<style>" + taken(files, "assets/style.css") + "</style>"},
	}
	for name, parts := range files {
		fmt.Fprintf(&data, "<script type=\"application/gzip\" data-file=%q>", name)
		to := base64.NewEncoder(base64.StdEncoding, &data)
		packed := gzip.NewWriter(to)
		for _, b := range parts {
			_, _ = packed.Write(b) // a buffer has no errors
		}
		if err := errors.Join(packed.Close(), to.Close()); err != nil {
			return err
		}
		data.WriteString("</script>\n")
	}
	for _, c := range append(inPlace, struct{ tag, text string }{"</body>", data.String() + "</body>"}) {
		if !strings.Contains(html, c.tag) {
			return fmt.Errorf("the page has no %s", c.tag)
		}
		html = strings.Replace(html, c.tag, c.text, 1)
	}
	if err := writeFile(e.Folder, []byte(html)); err != nil {
		return err
	}
	fmt.Fprintf(out, "Wrote %s: %d sketches in %d bytes, with the page %d. A browser opens it from disk.\n", e.Folder, sketches, size, len(html))
	return nil
}

// taken removes a file and returns its text.
func taken(files map[string][][]byte, name string) string {
	text := bytes.Join(files[name], nil)
	delete(files, name)
	return string(text)
}
