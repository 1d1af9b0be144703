package shell

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/complete"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

// mapList lists the options of .map for help and completion.
var mapList = []complete.Option{
	{Name: "-o", Value: "FILE.png", Help: "draw to a file, up to 1024 x 1024 pixels"},
	{Name: "-as", Value: "HOW", Help: "draw on the screen as " + words(terminal.Ways) + "; by default the best that the terminal can do", Values: terminal.Ways},
	{Name: "-size", Value: "WxH", Help: "maximum size in pixels, or W alone; the area keeps its shape"},
	{Name: "-area", Value: "X0,Y0,X1,Y1", Help: "draw this box; by default the one around all cells"},
	{Name: "-units", Value: "NAME", Help: "degrees, drawn in proportion to the ground, or plane; by default degrees if possible", Values: []string{unitDegrees, unitPlane}},
	{Name: "-palette", Value: "NAME", Help: words(picture.Palettes), Values: picture.Palettes},
	{Name: "-scale", Value: "NAME", Help: words(picture.Scales), Values: picture.Scales},
	{Name: "-label", Value: "TEXT", Help: "text for a corner of the file, with a legend of the colours"},
}

// Values of -units.
const (
	unitDegrees = "degrees"
	unitPlane   = "plane"
)

// mapHelp returns the text of .help map.
func mapHelp() string {
	b := strings.Builder{}
	b.WriteString("The query must return one sketch, for example that of ccbf_agg or ccbf_union_agg. Options:\n")
	for _, o := range mapList {
		fmt.Fprintf(&b, "  %-22s %s\n", o.Name+" "+o.Value, o.Help)
	}
	return b.String()
}

// words joins the names of a choice: "a, b or c".
func words(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// mapOptions are the options before the query of .map.
type mapOptions struct {
	file          string
	graphics      *terminal.Graphics
	width, height int // largest size of the picture in pixels; 0: not given
	area          *orb.Bound
	units         string
	picture.Options
}

// parseMap splits a line into options and a query.
func parseMap(line string) (o mapOptions, query string, err error) {
	flags := flag.NewFlagSet(".map", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.file, "o", "", "")
	flags.StringVar(&o.Palette, "palette", "", "")
	flags.StringVar(&o.Scale, "scale", "", "")
	flags.StringVar(&o.Label, "label", "", "")
	flags.Func("as", "", func(text string) error {
		g, err := terminal.Parse(text)
		o.graphics = &g
		return err
	})
	flags.Func("size", "", func(text string) (err error) {
		o.width, o.height, err = parseSize(text)
		return err
	})
	flags.Func("units", "", func(text string) error {
		if text != unitDegrees && text != unitPlane {
			return fmt.Errorf("must be %s or %s", unitDegrees, unitPlane)
		}
		o.units = text
		return nil
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
		return o, "", fmt.Errorf(".map: %w; .help map lists the options", err)
	}
	if strings.Trim(query, "; \t\r\n") == "" {
		return o, "", errors.New("usage: .map [OPTIONS] QUERY; .help map lists the options")
	}
	if o.file != "" && o.graphics != nil {
		return o, "", errors.New(".map: -o draws to a file, -as on the screen: give only one")
	}
	return o, query, nil
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
