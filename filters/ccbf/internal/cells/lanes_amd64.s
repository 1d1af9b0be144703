#include "textflag.h"

// func insideLanes(keys, counts *uint64, n int, box *spread) (sum, all uint64)
TEXT ·insideLanes(SB), NOSPLIT, $0-48
	MOVQ         keys+0(FP), SI
	MOVQ         counts+8(FP), DI
	MOVQ         n+16(FP), CX
	MOVQ         box+24(FP), BX
	MOVQ         $0x5555555555555555, AX
	MOVQ         AX, X0
	VPBROADCASTQ X0, Y0
	VPBROADCASTQ 0(BX), Y1
	VPBROADCASTQ 8(BX), Y2
	VPBROADCASTQ 16(BX), Y3
	VPBROADCASTQ 24(BX), Y4
	VPXOR        Y5, Y5, Y5 // the sum
	VPXOR        Y6, Y6, Y6 // the bits of all counts
	XORQ         AX, AX

loop:
	VMOVDQU  (SI)(AX*8), Y8
	VMOVDQU  (DI)(AX*8), Y7
	VPAND    Y0, Y8, Y9
	VPSRLQ   $1, Y8, Y8
	VPAND    Y0, Y8, Y8
	VPCMPGTQ Y9, Y1, Y10 // left of it
	VPCMPGTQ Y3, Y9, Y11 // right of it
	VPCMPGTQ Y8, Y2, Y12 // below
	VPCMPGTQ Y4, Y8, Y13 // above
	VPOR     Y10, Y11, Y10
	VPOR     Y12, Y13, Y12
	VPOR     Y10, Y12, Y10
	VPOR     Y7, Y6, Y6
	VPANDN   Y7, Y10, Y10
	VPADDQ   Y10, Y5, Y5
	ADDQ     $4, AX
	CMPQ     AX, CX
	JB       loop

	VEXTRACTI128 $1, Y5, X8
	VPADDQ       X8, X5, X5
	VPSRLDQ      $8, X5, X8
	VPADDQ       X8, X5, X5
	VEXTRACTI128 $1, Y6, X8
	VPOR         X8, X6, X6
	VPSRLDQ      $8, X6, X8
	VPOR         X8, X6, X6
	MOVQ         X5, sum+32(FP)
	MOVQ         X6, all+40(FP)
	VZEROUPPER
	RET

// Of four numbers N with the order in X it counts down, in three sums from Y, those that take no more
// bits than the order less one, the order, and one more; it uses Y15.
#define FITTING(N, LESS, ORDER, A, B, C) \
	VPSRLQ   LESS, N, Y15  \
	VPCMPEQQ Y0, Y15, Y15  \
	VPADDQ   Y15, A, A     \
	VPSRLQ   ORDER, N, N   \
	VPCMPEQQ Y0, N, Y15    \
	VPADDQ   Y15, B, B     \
	VPSRLQ   $1, N, N      \
	VPCMPEQQ Y0, N, N      \
	VPADDQ   N, C, C

// ADDED writes the sum of the four parts of A, less than 0, as a number above 0 to TO; it uses X15.
#define ADDED(A, LOW, TO) \
	VEXTRACTI128 $1, A, X15      \
	VPADDQ       X15, LOW, LOW   \
	VPSRLDQ      $8, LOW, X15    \
	VPADDQ       X15, LOW, LOW   \
	VMOVQ        LOW, TO

// func packLanes(keys, counts, dst *uint64, n int, gapOrder, countOrder uint64, out *packed)
TEXT ·packLanes(SB), NOSPLIT, $0-56
	MOVQ  keys+0(FP), SI
	MOVQ  counts+8(FP), DI
	MOVQ  dst+16(FP), DX
	MOVQ  n+24(FP), CX
	MOVQ  gapOrder+32(FP), AX
	MOVQ  countOrder+40(FP), BX
	MOVQ  out+48(FP), R8
	MOVQ  AX, X1
	DECQ  AX
	MOVQ  AX, X2 // of order 0 a shift of all bits
	MOVQ  BX, X3
	DECQ  BX
	MOVQ  BX, X4
	VPXOR Y0, Y0, Y0
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11 // the sum of counts
	VPXOR Y12, Y12, Y12 // their bits
	XORQ  AX, AX

pack:
	VMOVDQU  (SI)(AX*8), Y13
	VMOVDQU  (DI)(AX*8), Y14
	VPADDQ   Y14, Y11, Y11
	VPOR     Y14, Y12, Y12
	VPSLLQ   $19, Y13, Y15
	VPOR     Y14, Y15, Y15
	VMOVDQU  Y15, (DX)(AX*8)
	VPCMPEQQ Y15, Y15, Y15
	VPADDQ   Y15, Y14, Y14
	VPADDQ   Y15, Y13, Y13
	VPSUBQ   -8(SI)(AX*8), Y13, Y13
	FITTING(Y13, X2, X1, Y5, Y6, Y7)
	FITTING(Y14, X4, X3, Y8, Y9, Y10)
	ADDQ     $4, AX
	CMPQ     AX, CX
	JB       pack

	ADDED(Y5, X5, 0(R8))
	ADDED(Y6, X6, 8(R8))
	ADDED(Y7, X7, 16(R8))
	ADDED(Y8, X8, 24(R8))
	ADDED(Y9, X9, 32(R8))
	ADDED(Y10, X10, 40(R8))
	ADDED(Y11, X11, 48(R8))
	VEXTRACTI128 $1, Y12, X15
	VPOR         X15, X12, X12
	VPSRLDQ      $8, X12, X15
	VPOR         X15, X12, X12
	VMOVQ        X12, 56(R8)
	VZEROUPPER
	RET
