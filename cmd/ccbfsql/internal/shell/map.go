package shell

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/complete"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/output"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/help"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

// mapLines is how many lines of the terminal stay free below a picture.
const mapLines = 4

// dotMap draws the sketch that a query returns, on the terminal or into a PNG file.
func (sh *Shell) dotMap(args []string) error {
	o, query, err := parseMap(args[0])
	if err != nil {
		return err
	}
	return sh.noted(func() error {
		if o.file != "" {
			return sh.mapFile(&o, query)
		}
		return sh.mapScreen(&o, query)
	})
}

func (sh *Shell) mapFile(o *mapOptions, query string) error {
	if err := output.Check(o.file, "PNG"); err != nil {
		return err
	}
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
	screen, ok := terminal.Detect(sh.out())
	if !ok && o.graphics == "" {
		return errors.New("the output is not a terminal: draw to a file with -o FILE.png, or with -as blocks")
	}
	screen.Graphics = cmp.Or(o.graphics, screen.Graphics)
	if o.width == 0 {
		o.width, o.height = screen.Room(mapLines)
	}
	o.Label = "" // a label would be unreadable on small screens
	img, note, err := sh.drawMap(o, query)
	if err != nil {
		return err
	}
	if err := screen.Draw(sh.out(), img); err != nil {
		return err
	}
	return sh.printf("%s\n", note)
}

// sketch runs a query that must return one row, and returns the first BLOB of that row.
func (sh *Shell) sketch(query string) ([]byte, error) {
	defer sh.session.Idle()
	result, err := sh.session.Run(sh.ctx, query, false)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	column, types := -1, []string{}
	for i, c := range result.Columns {
		if c.Kind == render.Blob && column < 0 {
			column = i
		}
		types = append(types, c.Name+" "+c.Type)
	}
	if column < 0 {
		return nil, fmt.Errorf("the query must return a sketch, but returns %s", strings.Join(types, ", "))
	}
	var first render.Cell
	rows := 0
	for row, err := range result.All {
		if err != nil {
			return nil, err
		}
		if rows == 0 {
			first = row.Cell(column)
		}
		rows++
	}
	switch {
	case rows == 0:
		return nil, errors.New("the query returned no row, but must return one sketch")
	case rows > 1:
		return nil, fmt.Errorf("the query returned %d sketches; combine them with ccbf_union_agg", rows)
	case first.Null:
		return nil, errors.New("the query returned NULL, but must return a sketch; a sketch of no rows is NULL")
	}
	return []byte(first.Text), nil
}

// drawMap draws the sketch that a query returns. It also returns a line that describes the picture.
func (sh *Shell) drawMap(o *mapOptions, query string) (*image.Paletted, string, error) {
	blob, err := sh.sketch(query)
	if err != nil {
		return nil, "", err
	}
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
	width, height := picture.Size(picture.Proportion(area, degrees), o.width, o.height)
	if err := bridge.CheckRaster(area, width, height); err != nil {
		return nil, "", err
	}
	if err := notes.Box(&v.Head, area); err != nil {
		return nil, "", err
	}
	values := make([]float64, width*height)
	img, err := picture.Sketch(values, &v, area, width, height, ccbf.Categories{}, &o.Options)
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

// mapList lists the options of .map for help and completion.
var mapList = []complete.Option{
	{Name: "-o", Value: "FILE.png", Help: "draw to a file, up to 1024 x 1024 pixels"},
	{Name: "-as", Value: "HOW", Help: "draw on the screen as " + help.AnyOf(terminal.Ways) + "; by default the best that the terminal can do", Values: terminal.Ways},
	{Name: "-size", Value: "WxH", Help: "maximum size in pixels, or W alone; the area keeps its shape"},
	{Name: "-area", Value: "X0,Y0,X1,Y1", Help: "draw this box; by default the one around all cells"},
	{Name: "-units", Value: "NAME", Help: "degrees, drawn in proportion to the ground, or plane; by default degrees if possible", Values: units},
	{Name: "-palette", Value: "NAME", Help: help.AnyOf(picture.Palettes), Values: picture.Palettes},
	{Name: "-scale", Value: "NAME", Help: help.AnyOf(picture.Scales), Values: picture.Scales},
	{Name: "-label", Value: "TEXT", Help: "text for a corner of the file, with a legend of the colours"},
}

const unitDegrees = "degrees"

// units are the values of -units.
var units = []string{unitDegrees, "plane"}

// mapHelp returns the text of .help map.
func mapHelp() string {
	b := strings.Builder{}
	b.WriteString("The query must return one sketch, for example that of ccbf_agg or ccbf_union_agg. Options:\n")
	for _, o := range mapList {
		fmt.Fprintf(&b, "  %-22s %s\n", o.Name+" "+o.Value, o.Help)
	}
	return b.String()
}

// mapOptions are the options before the query of .map.
type mapOptions struct {
	file          string
	graphics      string
	width, height int // largest size of the picture in pixels; 0: not given
	area          *orb.Bound
	units         string
	picture.Options
}

// parseMap splits a line into options and a query.
func parseMap(line string) (o mapOptions, query string, err error) {
	flags := flag.NewFlagSet(".map", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("o", "", func(text string) error {
		if ending := filepath.Ext(text); ending != "" && !strings.EqualFold(ending, ".png") {
			return fmt.Errorf("the picture is a PNG, so its name must end in .png and not in %s", ending)
		}
		o.file = text
		return nil
	})
	flags.StringVar(&o.Palette, "palette", "", "")
	flags.StringVar(&o.Scale, "scale", "", "")
	flags.StringVar(&o.Label, "label", "", "")
	flags.Func("as", "", oneOf(&o.graphics, terminal.Ways))
	flags.Func("units", "", oneOf(&o.units, units))
	flags.Func("size", "", func(text string) (err error) {
		o.width, o.height, err = parseSize(text)
		return err
	})
	flags.Func("area", "", func(text string) (err error) {
		o.area, err = parseArea(text)
		return err
	})

	query = strings.TrimSpace(line)
	var words []string
	for strings.HasPrefix(query, "-") && !strings.HasPrefix(query, "--") {
		name, rest, err := nextWord(query)
		if err != nil {
			return o, "", err
		}
		words, query = append(words, name), rest
		if !strings.Contains(name, "=") && query != "" {
			value, rest, err := nextWord(query)
			if err != nil {
				return o, "", err
			}
			words, query = append(words, value), rest
		}
	}
	if err := flags.Parse(words); err != nil {
		return o, "", fmt.Errorf("%w; .help map lists the options", err)
	}
	if strings.Trim(query, "; \t\r\n") == "" {
		return o, "", errors.New("usage: [OPTIONS] QUERY; .help map lists the options")
	}
	if o.file != "" && o.graphics != "" {
		return o, "", errors.New("-o draws to a file, -as on the screen: give only one")
	}
	return o, query, nil
}

// oneOf returns the function of a flag that sets to to one of the values.
func oneOf(to *string, values []string) func(text string) error {
	return func(text string) error {
		if !slices.Contains(values, text) {
			return fmt.Errorf("must be %s", help.AnyOf(values))
		}
		*to = text
		return nil
	}
}

func parseSize(text string) (width, height int, err error) {
	w, h, both := strings.Cut(text, "x")
	width, werr := strconv.Atoi(w)
	height, herr := 0, error(nil)
	if both {
		height, herr = strconv.Atoi(h)
	}
	if werr != nil || herr != nil || width < 1 || both && height < 1 {
		return 0, 0, errors.New("must be of the form 800x600 or 800")
	}
	return width, height, nil
}

func parseArea(text string) (*orb.Bound, error) {
	edges := strings.Split(text, ",")
	var v [4]float64
	if len(edges) != len(v) {
		return nil, errors.New("must be of the form -0.5,51.3,0.3,51.7")
	}
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(edges[i]), 64); err != nil {
			return nil, fmt.Errorf("%q is not a number", edges[i])
		}
	}
	return &orb.Bound{Min: orb.Point{v[0], v[1]}, Max: orb.Point{v[2], v[3]}}, nil
}
