package shell

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

// mapHelp is shown by .help map.
var mapHelp = `The query returns one sketch, such as ccbf_agg and ccbf_union_agg make.
  -o FILE.png       draw to a file, up to 1024 x 1024 pixels
  -as HOW           draw on the screen as kitty, sixel or blocks; otherwise what the terminal can do
  -size WxH         most pixels; the area keeps its shape
  -area X0,Y0,X1,Y1 draw this box; otherwise the one around all cells
  -palette NAME     ` + strings.Join(picture.Palettes, ", ") + `
  -scale NAME       ` + strings.Join(picture.Scales, ", ") + `
  -label TEXT       for a corner of the file, with the colours and what they stand for`

// mapOptions are what stands in front of the query.
type mapOptions struct {
	file          string
	graphics      *terminal.Graphics
	width, height int // 0 where not given
	area          *orb.Bound
	picture.Options
}

// parseMap splits a line into options and query.
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
		return o, "", errors.New(".map: -o draws to a file, -as on the screen: give one of them")
	}
	return o, query, nil
}

func parseSize(text string) (width, height int, err error) {
	w, h, _ := strings.Cut(text, "x")
	width, werr := strconv.Atoi(w)
	height, herr := strconv.Atoi(h)
	if werr != nil || herr != nil || width < 1 || height < 1 {
		return 0, 0, errors.New("must be as in 800x600")
	}
	return width, height, nil
}

func parseArea(text string) (*orb.Bound, error) {
	edges := strings.Split(text, ",")
	var v [4]float64
	if len(edges) != len(v) {
		return nil, errors.New("must be as in -0.5,51.3,0.3,51.7")
	}
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(edges[i]), 64); err != nil {
			return nil, fmt.Errorf("%q is no number", edges[i])
		}
	}
	return &orb.Bound{Min: orb.Point{v[0], v[1]}, Max: orb.Point{v[2], v[3]}}, nil
}
