#include "textflag.h"

// insideKernel is the kernel of SumInside in inside.go: the sum of the counts of cells in a
// rectangle, four in each pass of the loop. It compares each coordinate with the bits of the other
// one cleared, and masks the counts of cells outside. It ORs all counts, so that the caller can
// rule out that the sum exceeds 2^64.
//
// Registers:
//   Y0 the bits of x, Y1 to Y4 the rectangle, Y5 the sum, Y6 the OR of counts, Y7 counts
//   Y8 and Y9 coordinates, Y10 to Y13 comparisons
//   AX cells done, CX number of cells, SI keys, DI counts

// func insideKernel(keys, counts *uint64, n int, box *Box) (sum, all uint64)
TEXT ·insideKernel(SB), NOSPLIT, $0-48
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
