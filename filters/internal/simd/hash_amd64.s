#include "textflag.h"

// The end of MurmurHash3, eight keys a turn: their states are in two pairs of registers, of four lanes of 64
// bits each. AVX2 multiplies numbers of 32 bits alone, so that MULTIPLY makes a product of three.
// Y0 to Y3 states, Y4 and Y5 scratch, Y11 ones, Y12 to Y15 the halves of both factors; SI and DI hashes, CX keys,
// AX those that are done.
// In Go: FinishHashes in hash.go.

// A number four times: of a lane, VPMULUDQ takes the low half.
#define FOUR(name, number) \
	DATA name<>+0(SB)/8, number  \
	DATA name<>+8(SB)/8, number  \
	DATA name<>+16(SB)/8, number \
	DATA name<>+24(SB)/8, number \
	GLOBL name<>(SB), RODATA|NOPTR, $32

FOUR(m1low, $0xed558ccd)
FOUR(m1high, $0xff51afd7)
FOUR(m2low, $0x1a85ec53)
FOUR(m2high, $0xc4ceb9fe)
FOUR(odd, $1)

// MULTIPLY multiplies y by a number of these halves, modulo 2^64; a and b are lost.
#define MULTIPLY(y, low, high, a, b) \
	VPSRLQ   $32, y, a  \
	VPMULUDQ high, y, b \
	VPMULUDQ low, a, a  \
	VPMULUDQ low, y, y  \
	VPADDQ   a, b, b    \
	VPSLLQ   $32, b, b  \
	VPADDQ   b, y, y

// FOLD is y ^ y>>33; a is lost.
#define FOLD(y, a) \
	VPSRLQ $33, y, a \
	VPXOR  a, y, y

// MIX is Mix of both states; Y4 and Y5 are lost.
#define MIX(one, two) \
	FOLD(one, Y4)                         \
	FOLD(two, Y5)                         \
	MULTIPLY(one, Y15, Y14, Y4, Y5)       \
	MULTIPLY(two, Y15, Y14, Y4, Y5)       \
	FOLD(one, Y4)                         \
	FOLD(two, Y5)                         \
	MULTIPLY(one, Y13, Y12, Y4, Y5)       \
	MULTIPLY(two, Y13, Y12, Y4, Y5)       \
	FOLD(one, Y4)                         \
	FOLD(two, Y5)

// func finishKernel(h1s, h2s *uint64, n int)
TEXT ·finishKernel(SB), NOSPLIT, $0-24
	MOVQ h1s+0(FP), SI
	MOVQ h2s+8(FP), DI
	MOVQ n+16(FP), CX
	VMOVDQU m1low<>(SB), Y15
	VMOVDQU m1high<>(SB), Y14
	VMOVDQU m2low<>(SB), Y13
	VMOVDQU m2high<>(SB), Y12
	VMOVDQU odd<>(SB), Y11
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*8), Y0
	VMOVDQU (DI)(AX*8), Y1
	VMOVDQU 32(SI)(AX*8), Y2
	VMOVDQU 32(DI)(AX*8), Y3
	VPADDQ  Y1, Y0, Y0
	VPADDQ  Y3, Y2, Y2
	VPADDQ  Y0, Y1, Y1
	VPADDQ  Y2, Y3, Y3
	MIX(Y0, Y1)
	MIX(Y2, Y3)
	VPADDQ  Y1, Y0, Y0
	VPADDQ  Y3, Y2, Y2
	VPADDQ  Y0, Y1, Y1
	VPADDQ  Y2, Y3, Y3
	VPOR    Y11, Y1, Y1
	VPOR    Y11, Y3, Y3
	VMOVDQU Y0, (SI)(AX*8)
	VMOVDQU Y1, (DI)(AX*8)
	VMOVDQU Y2, 32(SI)(AX*8)
	VMOVDQU Y3, 32(DI)(AX*8)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JB      loop
	VZEROUPPER
	RET
