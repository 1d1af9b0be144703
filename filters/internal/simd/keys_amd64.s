#include "textflag.h"

// keysKernel is the kernel of CellKeys in keys.go: the Z-order keys of points, four in each pass of
// the loop. The index of a coordinate is the whole number nearest to its quotient, less one if the
// edge of that is above the coordinate (grid.Grid.Index). Adding 2^52 moves the whole number to the
// lower bits. VPSHUFB spreads its bits four at a time, by a table.
//
// Registers:
//   Y0 q/p, Y6 p, Y7 q, Y1 and Y2 2^52 with and without Bias, Y3 and Y4 coordinates and then indexes
//   Y5, Y8 and Y9 scratch, Y10 selects a byte, Y11 and Y12 halves of bytes
//   Y13 and Y14 tables of x and y, Y15 the bits that no index has
//   AX points done, CX number of points, DI keys, SI xs, DX ys

// Each byte is there twice: the table maps the low four bits of the first and the high ones of the
// second.
DATA twice<>+0(SB)/8, $0x0303020201010000
DATA twice<>+8(SB)/8, $0x0b0b0a0a09090808
DATA twice<>+16(SB)/8, $0x0303020201010000
DATA twice<>+24(SB)/8, $0x0b0b0a0a09090808
GLOBL twice<>(SB), RODATA|NOPTR, $32
DATA lower<>+0(SB)/8, $0x000f000f000f000f
GLOBL lower<>(SB), RODATA|NOPTR, $8

// Four bits, bit i moved to bit 2i.
DATA apartX<>+0(SB)/8, $0x1514111005040100
DATA apartX<>+8(SB)/8, $0x5554515045444140
GLOBL apartX<>(SB), RODATA|NOPTR, $16

// 2^52 as a number whose lowest bit is 1, and 2^52 with Bias.
DATA whole<>+0(SB)/8, $0x4330000000000000
GLOBL whole<>(SB), RODATA|NOPTR, $8
DATA biased<>+0(SB)/8, $0x4330000055555555
GLOBL biased<>(SB), RODATA|NOPTR, $8

// SPREAD spreads the bits of the lower half of each lane of A, by TABLE. It overwrites Y9.
#define SPREAD(A, TABLE) \
	VPSHUFB Y10, A, A        \
	VPSRLW  $4, A, Y9        \
	VPAND   Y11, A, A        \
	VPAND   Y12, Y9, Y9      \
	VPOR    Y9, A, A         \
	VPSHUFB A, TABLE, A

// INDEX computes the last indexes whose edges are not above the coordinates in V: grid.Grid.Index.
// The result is 2^52 + Bias + index, without the bits of 2^52. It overwrites A.
#define INDEX(V, A) \
	VMULPD   Y0, V, A      \
	VROUNDPD $8, A, A      \ // to the nearest whole number, ties to even
	VMULPD   Y6, A, Y9     \
	VDIVPD   Y7, Y9, Y9    \ // the edge
	VCMPPD   $1, Y9, V, V  \ // -1 where the coordinate is below it
	VADDPD   Y1, A, A      \
	VPADDQ   V, A, V       \
	VPXOR    Y2, V, V

// func keysKernel(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int)
TEXT ·keysKernel(SB), NOSPLIT, $0-64
	MOVQ         dst+0(FP), DI
	MOVQ         xs+8(FP), SI
	MOVQ         ys+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSD inv+32(FP), Y0
	VBROADCASTSD p+40(FP), Y6
	VBROADCASTSD q+48(FP), Y7
	VPBROADCASTQ biased<>(SB), Y1
	VPBROADCASTQ whole<>(SB), Y2
	VMOVDQU      twice<>(SB), Y10
	VPBROADCASTQ lower<>(SB), Y11
	VBROADCASTI128 apartX<>(SB), Y13
	VPADDB       Y13, Y13, Y14
	VPSLLW       $8, Y11, Y12
	VPCMPEQD     Y15, Y15, Y15
	VPSLLQ       $32, Y15, Y15
	XORL         AX, AX

loop:
	VMOVUPD (SI)(AX*8), Y3
	VMOVUPD (DX)(AX*8), Y4
	INDEX(Y3, Y5)
	INDEX(Y4, Y8)
	VPOR    Y3, Y4, Y5
	VPTEST  Y15, Y5 // none but the lower half of any
	JNZ     end
	SPREAD(Y3, Y13)
	SPREAD(Y4, Y14)
	VPOR     Y3, Y4, Y3
	VMOVDQU  Y3, (DI)(AX*8)
	ADDQ     $4, AX
	CMPQ     AX, CX
	JB       loop

end:
	MOVQ AX, done+56(FP)
	VZEROUPPER
	RET
