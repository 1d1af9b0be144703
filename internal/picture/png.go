package picture

import (
	"image"
	"image/png"
	"io"
	"sync"
)

// buffers is a pool of memory for image/png.
type buffers struct{ sync.Pool }

func (b *buffers) Get() *png.EncoderBuffer {
	e, _ := b.Pool.Get().(*png.EncoderBuffer)
	return e
}

func (b *buffers) Put(e *png.EncoderBuffer) { b.Pool.Put(e) }

// encoder compresses fast: other levels take several times as long for a tenth of the bytes.
var encoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(buffers)}

// Write writes an image as a PNG. Equal images give equal bytes.
func Write(w io.Writer, img *image.Paletted) error { return encoder.Encode(w, img) }
