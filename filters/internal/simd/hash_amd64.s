#include "textflag.h"

// finishKernel is the kernel of FinishHashes in hash.go: the end of MurmurHash3, for eight keys in
// each pass of the loop. The states are in two pairs of registers with four lanes of 64 bits each.
// AVX2 multiplies only numbers of 32 bits, so MULTIPLY adds up three products.
//
// Registers:
//   Y0 to Y3 states, Y4 and Y5 scratch, Y11 ones, Y12 to Y15 the halves of both factors
//   AX keys done, CX number of keys, SI and DI hashes

// A number four times. VPMULUDQ reads the low half of each lane.
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

// MULTIPLY multiplies y by a number given by its halves, modulo 2^64. It overwrites a and b.
#define MULTIPLY(y, low, high, a, b) \
	VPSRLQ   $32, y, a  \
	VPMULUDQ high, y, b \
	VPMULUDQ low, a, a  \
	VPMULUDQ low, y, y  \
	VPADDQ   a, b, b    \
	VPSLLQ   $32, b, b  \
	VPADDQ   b, y, y

// FOLD replaces y by y ^ y>>33. It overwrites a.
#define FOLD(y, a) \
	VPSRLQ $33, y, a \
	VPXOR  a, y, y

// MIX applies Mix to both states. It overwrites Y4 and Y5.
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
