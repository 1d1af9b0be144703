package picture

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"math"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/klauspost/compress/flate"
)

// Write writes an image as a PNG (RFC 2083), as fast as can be: other levels of compression
// take several times as long for a tenth of the bytes. Of a large image the lower
// half is compressed by itself, beside the upper one where spare, which may be nil, says
// that a processor has nothing else to do: image/png, which has one stream in one goroutine,
// takes half of the time that a picture takes. Equal images give equal bytes.
func Write(w io.Writer, img *image.Paletted, spare func() bool) error {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	var head [13]byte
	binary.BigEndian.PutUint32(head[0:], uint32(width))
	binary.BigEndian.PutUint32(head[4:], uint32(height))
	head[8], head[9] = 8, 3 // bits of a pixel, which is a number in the palette
	var rgb, alpha []byte
	for _, c := range img.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		rgb, alpha = append(rgb, n.R, n.G, n.B), append(alpha, n.A)
	}
	upper, lower := halves.Get().(*half), halves.Get().(*half)
	defer upper.giveBack()
	defer lower.giveBack()
	cut := height
	if width*height >= halvedValues {
		cut = height / 2
	}
	compress(upper, lower, img, cut, spare)
	out := chunks{w: w}
	out.write("\x89PNG\r\n\x1a\n")
	out.chunk("IHDR", head[:])
	out.chunk("PLTE", rgb)
	out.chunk("tRNS", alpha)
	// The data is a zlib stream (RFC 1950): a header, blocks, and a sum of all bytes.
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], joinSums(upper.sum, lower.sum, (height-cut)*(1+width)))
	out.chunk("IDAT", []byte{0x78, 0x01}, upper.out.Bytes(), lower.out.Bytes(), sum[:])
	out.chunk("IEND")
	return out.err
}

// compress compresses the rows up to cut and those from it on. The stream ends with the second half,
// or with the first where there is no other.
func compress(upper, lower *half, img *image.Paletted, cut int, spare func() bool) {
	height := img.Rect.Dy()
	if cut == height {
		upper.compress(img, 0, height, true)
		lower.out.Reset()
		lower.sum = adler32.Checksum(nil)
		return
	}
	ccbf.Beside(spare, func() { upper.compress(img, 0, cut, false) }, func() { lower.compress(img, cut, height, true) })
}

// half is rows of an image, compressed, and their Adler-32.
type half struct {
	out  bytes.Buffer
	rows []byte // that are compressed next
	sum  uint32
}

// halves lends the memory of one encoding.
var halves = sync.Pool{New: func() any { return new(half) }}

// maxLentBytes is up to how many bytes of a buffer are kept.
const maxLentBytes = 1 << 20

func (h *half) giveBack() {
	if h.out.Cap() > maxLentBytes {
		h.out = bytes.Buffer{}
	}
	halves.Put(h)
}

// blockBytes is the most that StatelessDeflate makes one block of. It takes rows up to that
// many at a time: a flate.Writer, which knows the rows before as well, takes as long and a
// fiftieth less space, but is 70 KB of program.
const blockBytes = math.MaxInt16

// compress compresses the rows from from to to-1.
func (h *half) compress(img *image.Paletted, from, to int, last bool) {
	h.out.Reset()
	h.rows = h.rows[:0]
	sum, width := adler32.New(), img.Rect.Dx()
	for y := from; y < to; y++ {
		// Pixels as they are, without a filter: neighbours in a palette are none in value.
		h.rows = append(append(h.rows, 0), img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y+y):][:width]...)
		if ended := y == to-1; ended || len(h.rows)+1+width > blockBytes {
			// To a whole byte, behind which other blocks can follow. A buffer takes anything.
			_ = flate.StatelessDeflate(&h.out, h.rows, last && ended, nil)
			_, _ = sum.Write(h.rows)
			h.rows = h.rows[:0]
		}
	}
	h.sum = sum.Sum32()
}

// joinSums is the Adler-32 of bytes of one sum and of n more of another (RFC 1950, section 9): a is 1
// and the sum of the bytes, b that of all values of a.
func joinSums(first, second uint32, n int) uint32 {
	const base = 65521
	a := uint64(first&0xffff) + base - 1 // less the 1 that second begins with
	b := uint64(first>>16) + uint64(second>>16) + uint64(n)%base*(a%base)
	return uint32(b%base)<<16 | uint32((a+uint64(second&0xffff))%base)
}

// chunks writes the chunks of a PNG until an error.
type chunks struct {
	w   io.Writer
	err error
}

func (c *chunks) write(s string) { c.bytes([]byte(s)) }

func (c *chunks) bytes(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

// chunk writes a chunk: length, kind, data and checksum.
func (c *chunks) chunk(kind string, data ...[]byte) {
	n, sum := 0, crc32.ChecksumIEEE([]byte(kind))
	for _, d := range data {
		n += len(d)
		sum = crc32.Update(sum, crc32.IEEETable, d)
	}
	c.bytes(binary.BigEndian.AppendUint32(nil, uint32(n)))
	c.write(kind)
	for _, d := range data {
		c.bytes(d)
	}
	c.bytes(binary.BigEndian.AppendUint32(nil, sum))
}
