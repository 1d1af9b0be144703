package shell

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// mapLines is how many lines of the terminal stay free below a picture.
const mapLines = 4

// dotMap draws the sketch that a query returns, on the terminal or into a PNG file.
func (sh *Shell) dotMap(args []string) error {
	o, query, err := parseMap(args[0])
	if err != nil {
		return err
	}
	if o.file != "" {
		return sh.mapFile(&o, query)
	}
	return sh.mapScreen(&o, query)
}

func (sh *Shell) mapFile(o *mapOptions, query string) error {
	if o.width == 0 {
		o.width, o.height = 1024, 1024
	}
	img, note, err := sh.drawMap(o, query)
	if err != nil {
		return err
	}
	var png bytes.Buffer
	if err := picture.Write(&png, img); err != nil {
		return err
	}
	if err := os.WriteFile(o.file, png.Bytes(), 0o666); err != nil {
		return err
	}
	return sh.printf("%s, %d x %d: %s\n", o.file, img.Rect.Dx(), img.Rect.Dy(), note)
}

func (sh *Shell) mapScreen(o *mapOptions, query string) error {
	screen, err := sh.screen(o.graphics) // before the query: an error here must not come after a long query
	if err != nil {
		return err
	}
	if o.width == 0 {
		o.width, o.height = screen.Room(mapLines)
	}
	o.Label = "" // a label would be unreadable on small screens
	img, note, err := sh.drawMap(o, query)
	if err != nil {
		return err
	}
	if err := screen.Draw(sh.out(), img); err != nil {
		return sh.writeError(err)
	}
	return sh.printf("%s\n", note)
}

// drawMap draws the sketch that a query returns. It also returns a line that describes the picture.
func (sh *Shell) drawMap(o *mapOptions, query string) (*image.Paletted, string, error) {
	blob, err := sh.sketch(query)
	if err != nil {
		return nil, "", err
	}
	img, note, err := drawSketch(blob, o)
	if err != nil {
		return nil, "", fmt.Errorf(".map: %w", err)
	}
	return img, note, nil
}

// screen returns the terminal to draw on. how overrides the way to draw; nil means the best that
// the terminal supports.
func (sh *Shell) screen(how *terminal.Graphics) (terminal.Screen, error) {
	s, err := terminal.Screen{}, terminal.ErrNone
	if f, ok := sh.out().(*os.File); ok {
		s, err = terminal.Detect(f)
	}
	switch {
	case errors.Is(err, terminal.ErrNone) && how == nil:
		return s, errors.New(".map: the output is not a terminal: draw to a file with -o FILE.png, or with -as blocks")
	case errors.Is(err, terminal.ErrNone):
		s = terminal.Plain()
	case err != nil:
		return s, err
	}
	if how != nil {
		s.Graphics = *how
	}
	return s, nil
}

// sketch runs a query that must return one row, and returns the first BLOB of that row.
func (sh *Shell) sketch(query string) ([]byte, error) {
	defer sh.session.Idle()
	result, err := sh.session.Run(sh.ctx, query, session.RunOptions{})
	if err != nil {
		return nil, err
	}
	defer result.Close()
	column, types := -1, []string{}
	for i, c := range result.Columns() {
		if c.Kind == render.Blob && column < 0 {
			column = i
		}
		types = append(types, c.Name+" "+c.Type)
	}
	if column < 0 {
		return nil, fmt.Errorf(".map: the query must return a sketch, but returns %s", strings.Join(types, ", "))
	}
	var first render.Cell
	rows := 0
	for chunk, err := range result.Chunks() {
		if err != nil {
			return nil, err
		}
		if rows == 0 {
			first = chunk.Cell(0, column)
		}
		rows += chunk.Len()
	}
	switch {
	case rows == 0:
		return nil, errors.New(".map: the query returned no row, but must return one sketch")
	case rows > 1:
		return nil, fmt.Errorf(".map: the query returned %d sketches; combine them with ccbf_union_agg", rows)
	case first.Null:
		return nil, errors.New(".map: the query returned NULL, but must return a sketch; a sketch of no rows is NULL")
	}
	return []byte(first.Text), nil
}

func drawSketch(blob []byte, o *mapOptions) (*image.Paletted, string, error) {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, "", err
	}
	if err := v.CheckCategory(false); err != nil {
		return nil, "", fmt.Errorf("%w; draw one category with ccbf_png", err)
	}
	if v.Bounds.Empty() {
		return nil, "", errors.New("the sketch has no points")
	}
	area := v.Grid.Bound(v.Bounds)
	if o.area != nil {
		area = *o.area
	}
	degrees := picture.Degrees(area)
	if o.units != "" {
		degrees = o.units == unitDegrees
	}
	width, height := inside(picture.Proportion(area, degrees), o.width, o.height)
	if err := bridge.CheckRaster(area, width, height); err != nil {
		return nil, "", err
	}
	values := make([]float64, width*height)
	o.Unit, err = picture.Values(values, &v, area, width, height, ccbf.Categories{})
	if err != nil {
		return nil, "", err
	}
	o.One = 1
	img, err := picture.Draw(values, width, height, o.Options)
	if err != nil {
		return nil, "", err
	}
	total := "unknown"
	if n, known := v.Total(); known {
		total = strconv.FormatUint(n, 10)
	}
	return img, fmt.Sprintf("x %.12g to %.12g, y %.12g to %.12g; sketch total %s, cells of %v, up to %s %s",
		area.Min[0], area.Max[0], area.Min[1], area.Max[1], total, v.Grid.Res(), picture.Short(slices.Max(values)), o.Unit), nil
}

// inside returns the largest size of a picture with the given proportion of height to width that
// fits in width by height pixels. A height of 0 means no limit.
func inside(proportion float64, width, height int) (w, h int) {
	if !(proportion > 0 && proportion <= math.MaxFloat64) {
		return width, max(height, 1) // an area without a proportion; drawing it returns an error
	}
	wide, high := float64(width), float64(width)*proportion
	if height > 0 && high > float64(height) {
		wide, high = float64(height)/proportion, float64(height)
	}
	return max(int(math.Round(wide)), 1), max(int(math.Round(min(high, ccbf.MaxSide+1))), 1)
}
