package picture

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"iter"
	"math"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/klauspost/compress/flate"
)

// Write writes an image as a PNG (RFC 2083), as fast as can be: other levels of compression
// take several times as long for a tenth of the bytes. Of a large image two
// goroutines compress blocks of rows where spare, which may be nil, says
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
	upper, lower := compressors.Get().(*compressor), compressors.Get().(*compressor)
	defer upper.giveBack()
	defer lower.giveBack()
	compress(upper, lower, img, spare)
	out := chunks{w: w}
	out.write("\x89PNG\r\n\x1a\n")
	out.chunk("IHDR", head[:])
	out.chunk("PLTE", rgb)
	out.chunk("tRNS", alpha)
	// The data is a zlib stream (RFC 1950): a header, blocks, and a sum of all bytes.
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], joinSums(upper.sum, lower.sum, lower.n))
	out.chunk("IDAT", append(lower.before([][]byte{{0x78, 0x01}, upper.out.Bytes()}), sum[:])...)
	out.chunk("IEND")
	return out.err
}

// blockBytes is the most that StatelessDeflate makes one block of. It takes rows up to that
// many at a time: a flate.Writer, which knows the rows before as well, takes as long and a
// fiftieth less space, but is 70 KB of program.
const blockBytes = math.MaxInt16

// blocksOf are the rows with which the blocks of an image begin, and how many rows there are. No block has
// rows of both halves of a large one.
func blocksOf(width, height int) (rows []int) {
	at, step := 0, max(blockBytes/(1+width), 1)
	until := func(end int) {
		for ; at < end; at += step {
			rows = append(rows, at)
		}
		at = end
	}
	if width*height >= halvedValues {
		until(height / 2)
	}
	until(height)
	return append(rows, height)
}

// compress compresses an image: upper its blocks from the first down, and lower those from the last up, until they
// meet.
func compress(upper, lower *compressor, img *image.Paletted, spare func() bool) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	rows := blocksOf(width, height)
	if width*height < halvedValues {
		spare = nil
	}
	upper.reset()
	lower.reset()
	ccbf.Ends(spare, len(rows)-1, func(numbers iter.Seq[int]) {
		for i := range numbers {
			sum, n := upper.block(img, rows[i], rows[i+1])
			upper.sum, upper.n = joinSums(upper.sum, sum, n), upper.n+n
		}
	}, func(numbers iter.Seq[int]) {
		for i := range numbers {
			sum, n := lower.block(img, rows[i], rows[i+1])
			lower.sum, lower.n = joinSums(sum, lower.sum, lower.n), lower.n+n
		}
	})
}

// compressor compresses blocks of rows.
type compressor struct {
	out  bytes.Buffer
	ends []int  // of the blocks in out
	rows []byte // that are compressed next
	sum  uint32 // the Adler-32 of all rows, in their order in the image
	n    int    // bytes of these
}

// compressors lends the memory of one encoding.
var compressors = sync.Pool{New: func() any { return new(compressor) }}

// maxLentBytes is up to how many bytes of a buffer are kept.
const maxLentBytes = 1 << 20

func (c *compressor) giveBack() {
	if c.out.Cap() > maxLentBytes {
		c.out = bytes.Buffer{}
	}
	compressors.Put(c)
}

func (c *compressor) reset() {
	c.out.Reset()
	c.ends, c.sum, c.n = c.ends[:0], adler32.Checksum(nil), 0
}

// block compresses the rows from from to to-1, and returns their Adler-32 and how many bytes they are.
// With the last row of the image the stream ends.
func (c *compressor) block(img *image.Paletted, from, to int) (sum uint32, n int) {
	c.rows = c.rows[:0]
	for y := from; y < to; y++ {
		// Pixels as they are, without a filter: neighbours in a palette are none in value.
		c.rows = append(append(c.rows, 0), img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y+y):][:img.Rect.Dx()]...)
	}
	// To a whole byte, behind which other blocks can follow. A buffer takes anything.
	_ = flate.StatelessDeflate(&c.out, c.rows, to == img.Rect.Dy(), nil)
	c.ends = append(c.ends, c.out.Len())
	return adler32.Checksum(c.rows), len(c.rows)
}

// before appends the blocks, each of which came before the one compressed before it.
func (c *compressor) before(data [][]byte) [][]byte {
	for i := len(c.ends) - 1; i >= 0; i-- {
		begin := 0
		if i > 0 {
			begin = c.ends[i-1]
		}
		data = append(data, c.out.Bytes()[begin:c.ends[i]])
	}
	return data
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
