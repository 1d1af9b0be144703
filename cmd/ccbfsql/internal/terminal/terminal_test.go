package terminal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi/sixel"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// picture returns a picture with all pairs of colours above each other, and an odd number of rows.
func picture() *image.Paletted {
	p := color.Palette{color.NRGBA{}, color.NRGBA{0, 100, 200, 255}, color.NRGBA{200, 100, 50, 128}, color.NRGBA{50, 250, 50, 255}}
	img := image.NewPaletted(image.Rect(0, 0, 40, 9), p)
	for i := range img.Pix {
		img.Pix[i] = uint8((i + i/40*(i%40/4)) % 4)
	}
	for x := range 10 { // transparent ends of lines
		img.SetColorIndex(39-x, 4, 0)
		img.SetColorIndex(39-x, 5, 0)
	}
	return img
}

func drawOn(t *testing.T, s Screen, img *image.Paletted) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Draw(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// show returns the pixels that a terminal shows of a picture of 40 x 9 pixels in blocks.
func show(t *testing.T, text string) (pixels [10][40]vt10x.Color) {
	t.Helper()
	vt := vt10x.New(vt10x.WithSize(40, 6))
	if _, err := vt.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))); err != nil {
		t.Fatal(err)
	}
	for y := range 5 {
		for x := range 40 {
			cell := vt.Cell(x, y)
			pixels[2*y][x], pixels[2*y+1][x] = cell.BG, cell.BG
			if cell.Char == '█' || cell.Char == '▀' {
				pixels[2*y][x] = cell.FG
			}
			if cell.Char == '█' || cell.Char == '▄' {
				pixels[2*y+1][x] = cell.FG
			}
		}
	}
	return pixels
}

// A terminal without colours shows which pixels are transparent.
func TestBlocks(t *testing.T) {
	img := picture()
	for profile, seen := range map[colorprofile.Profile][]vt10x.Color{
		colorprofile.TrueColor: {vt10x.DefaultBG, 0x0064c8, 0x643219, 0x32fa32},
		colorprofile.ASCII:     {vt10x.DefaultBG, vt10x.DefaultFG, vt10x.DefaultFG, vt10x.DefaultFG},
	} {
		text := drawOn(t, Screen{profile: profile, ground: color.Black}, img)
		if profile == colorprofile.ASCII && strings.Contains(text, "\x1b") {
			t.Errorf("colours in %q", text)
		}
		for y, row := range show(t, text) {
			for x, got := range row {
				want := seen[0] // also below the picture
				if y < 9 {
					want = seen[img.ColorIndexAt(x, y)]
				}
				if got != want {
					t.Fatalf("%v: pixel (%d, %d) is %x, expected %x", profile, x, y, got, want)
				}
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.TrimRight(line, " ") != line {
				t.Errorf("spaces at the end of %q", line)
			}
		}
	}
}

func TestSixels(t *testing.T) {
	img := picture()
	text := drawOn(t, Screen{Graphics: Sixel, ground: color.White}, img)
	body, found := strings.CutPrefix(text, "\x1bP0;1q")
	body, ended := strings.CutSuffix(body, "\x1b\\\n")
	if !found || !ended {
		t.Fatalf("no sixels: %.20q", text)
	}
	got, err := new(sixel.Decoder).Decode(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	// Half of (200, 100, 50) over white. Colours of sixels are hundredths.
	seen := []color.RGBA{{}, {0, 100, 200, 255}, {227, 177, 152, 255}, {50, 250, 50, 255}}
	for y := range 9 {
		for x := range 40 {
			c, want := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA), seen[img.ColorIndexAt(x, y)]
			near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 3 }
			if !near(c.R, want.R) || !near(c.G, want.G) || !near(c.B, want.B) || c.A != want.A {
				t.Fatalf("pixel (%d, %d) is %v, expected %v", x, y, c, want)
			}
		}
	}
}

func TestKitty(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 300, 100), picture().Palette)
	r := rand.New(rand.NewPCG(1, 2)) // which does not compress, so that there are several pieces
	for i := range img.Pix {
		img.Pix[i] = uint8(r.IntN(4))
	}
	text := strings.TrimSuffix(drawOn(t, Screen{Graphics: Kitty}, img), "\n")
	pieces := regexp.MustCompile(`\x1b_G([^;]*);([^\x1b]*)\x1b\\`).FindAllStringSubmatch(text, -1)
	var all, data string
	for i, p := range pieces {
		all += p[0]
		data += p[2]
		if more := strings.Contains(p[1], "m=1"); more != (i < len(pieces)-1) || len(p[2]) > 4096 {
			t.Errorf("piece %d of %d: %s, %d bytes", i+1, len(pieces), p[1], len(p[2]))
		}
	}
	if all != text || len(pieces) < 2 || !strings.Contains(pieces[0][1], "a=T") {
		t.Fatalf("%d pieces of %.100q", len(pieces), text)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for i := range img.Pix {
		x, y := i%300, i/300
		if c, want := color.NRGBAModel.Convert(got.At(x, y)), img.At(x, y); c != want {
			t.Fatalf("pixel (%d, %d) is %v, expected %v", x, y, c, want)
		}
	}
}

// terminal replies to the queries on the other side of tty.
func terminal(t *testing.T, answer string) (tty *os.File) {
	t.Helper()
	outside, inside, err := pty.Open()
	if err != nil {
		t.Skip("no terminal here:", err)
	}
	t.Cleanup(func() { outside.Close(); inside.Close() })
	go func() {
		buf, asked := make([]byte, 1000), ""
		for !strings.Contains(asked, "\x1b[c") {
			n, err := outside.Read(buf)
			if err != nil {
				return
			}
			asked += string(buf[:n])
		}
		outside.WriteString(answer)
	}()
	return inside
}

// patient is longer than the time limit of go test.
const patient = 24 * time.Hour

func TestAsk(t *testing.T) {
	const (
		ground = "\x1b]11;rgb:ffff/8080/0102\x07"
		cell   = "\x1b[6;20;10t"
	)
	for name, c := range map[string]struct {
		answer string
		want   Screen
	}{
		"kitty":  {"\x1b_Gi=31;OK\x1b\\" + ground + cell + "\x1b[?62;c", Screen{Graphics: Kitty, cell: size{10, 20}, ground: color.RGBA{255, 128, 1, 255}}},
		"both":   {"\x1b_Gi=31;OK\x1b\\\x1b[?62;4;22c", Screen{Graphics: Kitty}},
		"sixel":  {ground + "\x1b[?65;4c", Screen{Graphics: Sixel, ground: color.RGBA{255, 128, 1, 255}}},
		"plain":  {cell + "\x1b[?1;2c", Screen{cell: size{10, 20}}},
		"refuse": {"\x1b_Gi=31;ENOTSUP:no\x1b\\\x1b[?64;14;40c", Screen{}},
		"wrong":  {"\x1b[6;99999;0t\x1b]11;rgb:xx/yy/zz\x07\x1b[?c", Screen{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got Screen
			if got.read(ask(terminal(t, c.answer), patient)); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%+v, expected %+v", got, c.want)
			}
		})
	}
}

// A terminal that does not reply does not delay the program.
func TestAskInVain(t *testing.T) {
	if got := ask(terminal(t, ""), 50*time.Millisecond); got != "" {
		t.Errorf("%q", got)
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := ask(file, patient); got != "" {
		t.Errorf("%q", got)
	}
	if _, ok := Detect(file); ok {
		t.Error("a file is a terminal")
	}
}

func TestRoom(t *testing.T) {
	s := Screen{columns: 100, rows: 30, cell: size{10, 20}}
	for graphics, want := range map[string]size{Blocks: {100, 52}, Sixel: {1000, 520}, Kitty: {1000, 520}} {
		s.Graphics = graphics
		if width, height := s.Room(4); (size{width, height}) != want {
			t.Errorf("%v: %d x %d, expected %v", graphics, width, height, want)
		}
		if _, height := s.Room(40); height < 1 {
			t.Errorf("%v: height %d", graphics, height)
		}
	}
}
