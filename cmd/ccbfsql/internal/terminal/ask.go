package terminal

import (
	"image/color"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"
	"golang.org/x/term"
)

// patience is how long to wait for a terminal's replies, which may come over a slow network.
const patience = time.Second

// replies queries the terminal of this process once: its abilities do not change, and a terminal that
// does not reply costs a second. Without a terminal or without replies, the result is empty.
var replies = sync.OnceValue(func() string {
	// The Linux console prints all queries as text, and Apple's terminal some of them.
	if slices.Contains([]string{"linux", "dumb"}, os.Getenv("TERM")) || os.Getenv("TERM_PROGRAM") == "Apple_Terminal" {
		return ""
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = tty.Close() }() // nothing was written that matters
	return ask(tty, patience)
})

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

// read sets the properties that the replies of a terminal report.
func (s *Screen) read(replies string) {
	const sixels = "4" // device attribute of terminals with sixels
	if m := lastAnswer.FindStringSubmatch(replies); m != nil && slices.Contains(strings.Split(m[1], ";"), sixels) {
		s.Graphics = Sixel
	}
	if kittyAnswer.MatchString(replies) {
		s.Graphics = Kitty
	}
	// The patterns guarantee digits, few enough for an int.
	if m := cellAnswer.FindStringSubmatch(replies); m != nil {
		height, _ := strconv.Atoi(m[1])
		width, _ := strconv.Atoi(m[2])
		if width > 0 && height > 0 {
			s.cell = size{width, height}
		}
	}
	if m := groundAnswer.FindStringSubmatch(replies); m != nil {
		part := func(hex string) uint8 { n, _ := strconv.ParseUint(hex, 16, 8); return uint8(n) }
		s.ground = color.RGBA{part(m[1]), part(m[2]), part(m[3]), 0xff}
	}
}
