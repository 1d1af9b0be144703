#include "textflag.h"

// PAIR adds the products of the pairs of words at off of the four pieces to X8 to X11.
#define PAIR(off) \
	VMOVDQU    off(R8), X15           \
	VPXOR      off(AX), X15, X0       \
	VPXOR      off(BX), X15, X1       \
	VPXOR      off(SI), X15, X2       \
	VPXOR      off(DI), X15, X3       \
	VPCLMULQDQ $0x10, X0, X0, X0      \
	VPCLMULQDQ $0x10, X1, X1, X1      \
	VPCLMULQDQ $0x10, X2, X2, X2      \
	VPCLMULQDQ $0x10, X3, X3, X3      \
	VPXOR      X0, X8, X8             \
	VPXOR      X1, X9, X9             \
	VPXOR      X2, X10, X10           \
	VPXOR      X3, X11, X11

// func carrylessSums(dst *[2 * Parts]uint64, b *byte, stride, size int, keys *Keys)
TEXT ·carrylessSums(SB), NOSPLIT, $0-40
	MOVQ  dst+0(FP), DX
	MOVQ  b+8(FP), AX
	MOVQ  stride+16(FP), CX
	MOVQ  size+24(FP), R9
	MOVQ  keys+32(FP), R8
	LEAQ  (AX)(CX*1), BX
	LEAQ  (BX)(CX*1), SI
	LEAQ  (SI)(CX*1), DI
	LEAQ  (AX)(R9*1), CX
	VPXOR X8, X8, X8
	VPXOR X9, X9, X9
	VPXOR X10, X10, X10
	VPXOR X11, X11, X11

loop:
	PAIR(0)
	PAIR(16)
	PAIR(32)
	PAIR(48)
	ADDQ $64, AX
	ADDQ $64, BX
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	CMPQ AX, CX
	JB   loop

	VMOVDQU X8, (DX)
	VMOVDQU X9, 16(DX)
	VMOVDQU X10, 32(DX)
	VMOVDQU X11, 48(DX)
	VZEROUPPER
	RET
