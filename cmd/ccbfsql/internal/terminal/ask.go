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

// patience is how long to wait for a terminal's replies, which may come over a slow network.
const patience = time.Second

// terminalReplies has the properties that a terminal reports. Fields are zero if it did not reply.
type terminalReplies struct {
	graphics string
	cell     size
	ground   color.Color
}

// askTTY queries the terminal of this process. Without a terminal or without replies, the result is
// empty.
func askTTY() terminalReplies {
	// The Linux console prints all queries as text, and Apple's terminal some of them.
	if slices.Contains([]string{"linux", "dumb"}, os.Getenv("TERM")) || os.Getenv("TERM_PROGRAM") == "Apple_Terminal" {
		return terminalReplies{}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return terminalReplies{}
	}
	defer func() { _ = tty.Close() }() // nothing was written that matters
	return read(ask(tty, patience))
}

// questions are the queries to a terminal. The last is one that every terminal answers, so replies
// that have not arrived before its reply will not come.
var questions = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + // a picture of one pixel that is not drawn
	ansi.RequestBackgroundColor +
	ansi.WindowOp(16) + // the size of a character in pixels
	ansi.RequestPrimaryDeviceAttributes

var lastAnswer = regexp.MustCompile(`\x1b\[\?([\d;]*)c`)

// ask sends the queries and returns the replies, up to the last one or until the time is over.
func ask(tty *os.File, patience time.Duration) string {
	// Raw mode: replies are not shown, and arrive without a line break.
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

// read parses the replies of a terminal.
func read(text string) terminalReplies {
	var a terminalReplies
	const sixels = "4" // device attribute of terminals with sixels
	if m := lastAnswer.FindStringSubmatch(text); m != nil && slices.Contains(strings.Split(m[1], ";"), sixels) {
		a.graphics = Sixel
	}
	if kittyAnswer.MatchString(text) {
		a.graphics = Kitty
	}
	// The patterns guarantee digits, few enough for an int.
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
