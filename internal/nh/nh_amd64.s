#include "textflag.h"

// BEGIN has the four pieces in AX, BX, SI and DI, the end of the first in CX, the keys in R8 and
// the sums in DX.
#define BEGIN                      \
	MOVQ dst+0(FP), DX         \
	MOVQ b+8(FP), AX           \
	MOVQ stride+16(FP), CX     \
	MOVQ size+24(FP), R9       \
	MOVQ keys+32(FP), R8       \
	LEAQ (AX)(CX*1), BX        \
	LEAQ (BX)(CX*1), SI        \
	LEAQ (SI)(CX*1), DI        \
	LEAQ (AX)(R9*1), CX

// PAIRS adds the products of the pairs of words that a register has, of the four pieces at off, to
// A, B, C and D: K is for the keys, the others for the products.
#define PAIRS(MOVE, XOR, off, K, P0, P1, P2, P3, A, B, C, D) \
	MOVE       off(R8), K         \
	XOR        off(AX), K, P0     \
	XOR        off(BX), K, P1     \
	XOR        off(SI), K, P2     \
	XOR        off(DI), K, P3     \
	VPCLMULQDQ $0x10, P0, P0, P0  \
	VPCLMULQDQ $0x10, P1, P1, P1  \
	VPCLMULQDQ $0x10, P2, P2, P2  \
	VPCLMULQDQ $0x10, P3, P3, P3  \
	XOR        P0, A, A           \
	XOR        P1, B, B           \
	XOR        P2, C, C           \
	XOR        P3, D, D

// PAIR is PAIRS of one pair.
#define PAIR(off) PAIRS(VMOVDQU, VPXOR, off, X15, X0, X1, X2, X3, X8, X9, X10, X11)

// NEXT goes on by a step.
#define NEXT              \
	ADDQ $64, AX      \
	ADDQ $64, BX      \
	ADDQ $64, SI      \
	ADDQ $64, DI      \
	ADDQ $64, R8      \
	CMPQ AX, CX

#define END                       \
	VMOVDQU X8, (DX)          \
	VMOVDQU X9, 16(DX)        \
	VMOVDQU X10, 32(DX)       \
	VMOVDQU X11, 48(DX)       \
	VZEROUPPER                \
	RET

// func narrowSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)
TEXT ·narrowSums(SB), NOSPLIT, $0-40
	BEGIN
	VPXOR X8, X8, X8
	VPXOR X9, X9, X9
	VPXOR X10, X10, X10
	VPXOR X11, X11, X11

loop:
	PAIR(0)
	PAIR(16)
	PAIR(32)
	PAIR(48)
	NEXT
	JB loop
	END

// FOLD adds up the four sums that a register has.
#define FOLD(Z, Y, X)                \
	VEXTRACTI64X4 $1, Z, Y0      \
	VPXOR         Y0, Y, Y       \
	VEXTRACTI128  $1, Y, X0      \
	VPXOR         X0, X, X

// func wideSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)
TEXT ·wideSums(SB), NOSPLIT, $0-40
	BEGIN
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11

loop:
	PAIRS(VMOVDQU64, VPXORQ, 0, Z15, Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11)
	NEXT
	JB loop
	FOLD(Z8, Y8, X8)
	FOLD(Z9, Y9, X9)
	FOLD(Z10, Y10, X10)
	FOLD(Z11, Y11, X11)
	END
