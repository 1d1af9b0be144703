package terminal

import (
	"image/color"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"
	"golang.org/x/term"
)

// patience is how long a terminal may take to answer, over a slow network too.
const patience = time.Second

// terminalReplies are what a terminal said of itself.
type terminalReplies struct {
	graphics Graphics
	cell     size
	ground   color.Color
}

// askTTY asks the terminal that the program runs in. Where there is none or it
// keeps silent the answers are empty.
func askTTY() terminalReplies {
	// The first shows every question, the second some of them.
	if slices.Contains([]string{"linux", "dumb"}, os.Getenv("TERM")) || os.Getenv("TERM_PROGRAM") == "Apple_Terminal" {
		return terminalReplies{}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return terminalReplies{}
	}
	defer func() { _ = tty.Close() }() // nothing is lost
	return read(ask(tty, patience))
}

// questions end with one that every terminal answers: what did not come before
// does not come.
var questions = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + // a pixel, were it shown
	ansi.RequestBackgroundColor +
	ansi.WindowOp(16) + // the size of a character
	ansi.RequestPrimaryDeviceAttributes

var lastAnswer = regexp.MustCompile(`\x1b\[\?([\d;]*)c`)

// ask is what a terminal answers, up to the last answer or for as long as it may
// take.
func ask(tty *os.File, patience time.Duration) string {
	// Answers must neither be shown nor wait for a line's end.
	before, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return ""
	}
	defer func() { _ = term.Restore(int(tty.Fd()), before) }()
	in, err := cancelreader.NewReader(tty)
	if err != nil {
		return ""
	}
	defer func() { _ = in.Close() }()
	if _, err := tty.WriteString(questions); err != nil {
		return ""
	}
	defer time.AfterFunc(patience, func() { in.Cancel() }).Stop()
	var got strings.Builder
	buf := make([]byte, 256)
	for !lastAnswer.MatchString(got.String()) && got.Len() < 1<<12 {
		n, err := in.Read(buf)
		got.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return got.String()
}

var (
	kittyAnswer  = regexp.MustCompile(`\x1b_Gi=31[^;]*;OK\x1b\\`)
	cellAnswer   = regexp.MustCompile(`\x1b\[6;(\d{1,3});(\d{1,3})t`)
	groundAnswer = regexp.MustCompile(`\x1b\]11;rgb:([\da-fA-F]{2})[\da-fA-F]*/([\da-fA-F]{2})[\da-fA-F]*/([\da-fA-F]{2})`)
)

// read is what the answers to questions say.
func read(text string) terminalReplies {
	var a terminalReplies
	const sixels = "4" // among the attributes of the device
	if m := lastAnswer.FindStringSubmatch(text); m != nil && slices.Contains(strings.Split(m[1], ";"), sixels) {
		a.graphics = Sixel
	}
	if kittyAnswer.MatchString(text) {
		a.graphics = Kitty
	}
	// Nothing but digits arrives at these, few enough to fit.
	if m := cellAnswer.FindStringSubmatch(text); m != nil {
		a.cell.height, _ = strconv.Atoi(m[1])
		a.cell.width, _ = strconv.Atoi(m[2])
	}
	if m := groundAnswer.FindStringSubmatch(text); m != nil {
		part := func(hex string) uint8 { n, _ := strconv.ParseUint(hex, 16, 8); return uint8(n) }
		a.ground = color.RGBA{part(m[1]), part(m[2]), part(m[3]), 0xff}
	}
	return a
}
