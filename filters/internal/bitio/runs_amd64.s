#include "textflag.h"

// Sixteen readers are read from side by side, in two groups of eight: one waits while the other
// computes. Each reader has a part of every register:
//
//	Z0, Z16 positions in bits, from address 0   Z1, Z17 keys   Z2, Z3, Z18, Z19 the orders of gaps and of counts
//	Z7, Z20 the last address that a window begins at   Z9, Z24 windows, of which what was read is shifted out
//	Z4 ones   Z6 57
//
// Of windows, which take longest to come, two pairs are read where they hold both. A window that would
// begin behind its last address has zeros behind the end. Nothing is changed by a step of which a window
// does not hold its pair.

// CLASS is class: of the windows W and an order, the length of the code and the value, and shifts the code
// out of W. It uses Z14, Z15 and K3.
#define CLASS(W, ORDER, LENGTH, VALUE) \
	VPSUBQ    Z4, W, Z14             \
	VPANDNQ   Z14, W, Z14            \
	VPANDQ    Z4, W, LENGTH          \
	VPTESTNMQ Z4, W, K3              \
	VPADDQ    ORDER, LENGTH, LENGTH  \
	VPOPCNTQ  Z14, Z14               \ // zeros before the first one
	VPADDQ    Z14, LENGTH, LENGTH    \ // from the first one on
	VPSRLVQ   Z14, W, VALUE          \
	VPSRLVQ   LENGTH, VALUE, W       \
	VPSLLVQ   LENGTH, Z4, Z15        \
	VPADDQ    Z14, LENGTH, LENGTH    \
	VPSUBQ    Z4, Z15, Z14           \
	VPANDQ    Z14, VALUE, VALUE      \
	VPORQ     Z15, VALUE, K3, VALUE  \
	VPSRLQ    $1, VALUE, VALUE

// FETCH makes W the windows, of which nothing is read. It uses Z14 and K1.
#define FETCH(POS, LAST, W) \
	VPSRLQ     $3, POS, Z14          \
	VPMINUQ    LAST, Z14, Z14        \
	KXNORB     K1, K1, K1            \
	VPGATHERQQ (SI)(Z14*1), K1, W    \
	VPSLLQ     $3, Z14, Z14          \
	VPSUBQ     Z14, POS, Z14         \
	VPSRLVQ    Z14, W, W

#define FETCHES \
	FETCH(Z0, Z7, Z9)                \
	FETCH(Z16, Z20, Z24)

// PAIRS reads a pair of each, which is a number of bits long, Z10 and Z26.
#define PAIRS \
	CLASS(Z9, Z2, Z10, Z12)          \
	CLASS(Z9, Z3, Z11, Z13)          \
	VPADDQ     Z11, Z10, Z10         \
	CLASS(Z24, Z18, Z26, Z28)        \
	CLASS(Z24, Z19, Z27, Z29)        \
	VPADDQ     Z27, Z26, Z26

// LONG goes where it says if bits A or B of windows are more than they hold.
#define LONG(A, B, WHERE) \
	VPMAXUQ    A, B, Z8              \
	VPCMPUQ    $6, Z6, Z8, K2        \
	KORTESTB   K2, K2                \
	JNZ        WHERE

// NEXT keeps the cells of a step in a row of the frame: keys and counts of one group, and of the other.
#define NEXT \
	VPADDQ     Z10, Z0, Z0           \
	VPADDQ     Z26, Z16, Z16         \
	VPADDQ     Z4, Z12, Z12          \
	VPADDQ     Z12, Z1, Z1           \
	VPADDQ     Z4, Z28, Z28          \
	VPADDQ     Z28, Z17, Z17         \
	VPADDQ     Z4, Z13, Z13          \
	VPADDQ     Z4, Z29, Z29          \
	VMOVDQU64  Z1, (R9)              \
	VMOVDQU64  Z13, 64(R9)           \
	VMOVDQU64  Z17, 128(R9)          \
	VMOVDQU64  Z29, 192(R9)          \
	ADDQ       $256, R9              \
	DECQ       CX                    \
	JZ         end

// STORE writes a column of the frame's eight rows run by run, those of four at DI and at DI + 8192.
#define STORE(COLUMN) \
	VMOVDQU64   COLUMN+0(SP), Z24       \
	VMOVDQU64   COLUMN+256(SP), Z25     \
	VMOVDQU64   COLUMN+512(SP), Z26     \
	VMOVDQU64   COLUMN+768(SP), Z27     \
	VMOVDQU64   COLUMN+1024(SP), Z28    \
	VMOVDQU64   COLUMN+1280(SP), Z29    \
	VMOVDQU64   COLUMN+1536(SP), Z30    \
	VMOVDQU64   COLUMN+1792(SP), Z31    \
	VPUNPCKLQDQ Z25, Z24, Z8            \
	VPUNPCKHQDQ Z25, Z24, Z9            \
	VPUNPCKLQDQ Z27, Z26, Z10           \
	VPUNPCKHQDQ Z27, Z26, Z11           \
	VPUNPCKLQDQ Z29, Z28, Z12           \
	VPUNPCKHQDQ Z29, Z28, Z13           \
	VPUNPCKLQDQ Z31, Z30, Z14           \
	VPUNPCKHQDQ Z31, Z30, Z15           \
	VSHUFI64X2  $0x88, Z10, Z8, Z24     \
	VSHUFI64X2  $0xdd, Z10, Z8, Z25     \
	VSHUFI64X2  $0x88, Z14, Z12, Z26    \
	VSHUFI64X2  $0xdd, Z14, Z12, Z27    \
	VSHUFI64X2  $0x88, Z11, Z9, Z28     \
	VSHUFI64X2  $0xdd, Z11, Z9, Z29     \
	VSHUFI64X2  $0x88, Z15, Z13, Z30    \
	VSHUFI64X2  $0xdd, Z15, Z13, Z31    \
	VSHUFI64X2  $0x88, Z26, Z24, Z8     \
	VSHUFI64X2  $0x88, Z30, Z28, Z9     \
	VSHUFI64X2  $0x88, Z27, Z25, Z10    \
	VSHUFI64X2  $0x88, Z31, Z29, Z11    \
	VSHUFI64X2  $0xdd, Z26, Z24, Z12    \
	VSHUFI64X2  $0xdd, Z30, Z28, Z13    \
	VSHUFI64X2  $0xdd, Z27, Z25, Z14    \
	VSHUFI64X2  $0xdd, Z31, Z29, Z15    \
	VMOVDQU64   Z8, (DI)                \
	VMOVDQU64   Z9, 1024(DI)            \
	VMOVDQU64   Z10, 2048(DI)           \
	VMOVDQU64   Z11, 3072(DI)           \
	VMOVDQU64   Z12, 8192(DI)           \
	VMOVDQU64   Z13, 9216(DI)           \
	VMOVDQU64   Z14, 10240(DI)          \
	VMOVDQU64   Z15, 11264(DI)

// func readSixteen(s *sixteenState, out *uint64, steps int) int
TEXT ·readSixteen(SB), 0, $2048-32
	MOVQ         s+0(FP), AX
	MOVQ         out+8(FP), DI
	MOVQ         steps+16(FP), DX
	XORQ         SI, SI
	MOVQ         $1, BX
	VPBROADCASTQ BX, Z4
	MOVQ         $57, BX
	VPBROADCASTQ BX, Z6
	VMOVDQU64    (AX), Z8
	VMOVDQU64    64(AX), Z9
	VPADDQ       128(AX), Z8, Z7
	VPADDQ       192(AX), Z9, Z20
	VPSLLQ       $3, Z8, Z8
	VPSLLQ       $3, Z9, Z9
	VPADDQ       256(AX), Z8, Z0
	VPADDQ       320(AX), Z9, Z16
	VMOVDQU64    384(AX), Z1
	VMOVDQU64    448(AX), Z17
	VMOVDQU64    512(AX), Z2
	VMOVDQU64    576(AX), Z18
	VMOVDQU64    640(AX), Z3
	VMOVDQU64    704(AX), Z19

	// The first rows are what is left over by eights of them, so that the last eight end with the runs.
	MOVQ DX, CX
	DECQ CX
	ANDQ $7, CX
	INCQ CX

rows:
	MOVQ CX, R8
	LEAQ 0(SP), R9

steps:
	FETCHES
	PAIRS
	LONG(Z10, Z26, end)
	NEXT
	VMOVDQA64 Z10, Z21
	VMOVDQA64 Z26, Z22
	PAIRS
	VPADDQ    Z10, Z21, Z21
	VPADDQ    Z26, Z22, Z22
	LONG(Z21, Z22, again)

second:
	NEXT
	JMP steps

again: // of windows of its own
	FETCHES
	PAIRS
	LONG(Z10, Z26, end)
	JMP second

end:
	STORE(0)
	ADDQ  $4096, DI
	STORE(64)
	ADDQ  $12288, DI
	STORE(128)
	ADDQ  $4096, DI
	STORE(192)
	SUBQ  CX, R8               // how many rows there are
	LEAQ  -20480(DI)(R8*8), DI
	SUBQ  R8, DX
	TESTQ CX, CX
	JNZ   done                 // a step was not made
	MOVQ  $8, CX
	TESTQ DX, DX
	JNZ   rows

done:
	VMOVDQU64 (AX), Z8
	VMOVDQU64 64(AX), Z9
	VPSLLQ    $3, Z8, Z8
	VPSLLQ    $3, Z9, Z9
	VPSUBQ    Z8, Z0, Z0
	VPSUBQ    Z9, Z16, Z16
	VMOVDQU64 Z0, 256(AX)
	VMOVDQU64 Z16, 320(AX)
	MOVQ      steps+16(FP), BX
	SUBQ      DX, BX
	MOVQ      BX, ret+24(FP)
	VZEROUPPER
	RET
