#include "textflag.h"

// runsKernel is the kernel of Runs.Read in runs.go. It decodes two numbers of each of four runs in
// each pass of the loop, a run in each lane. VPGATHERQQ loads the eight bytes around each position.
// The lowest bit that is set has the class of a number: its exponent as a float.
//
// Registers:
//   Y0 positions, Y1 and Y2 orders of gaps and counts, Y3 and Y4 two to the power of these
//   Y5 windows, Y6 to Y8 scratch, Y9 gaps, Y10 lengths of codes, Y15 keys
//   Y11 exponent of 1, Y12 class at which a code is long, Y13 one, Y14 minus one
//   AX index, CX where to stop, DI runs, SI buffer

// CLASS writes the numbers that begin windows w to v, and the lengths of their codes to n. order is
// the order k, and power is 1<<k. It overwrites Y6 to Y8; n may be Y6, and v may be w.
#define CLASS(w, order, power, v, n) \
	VPOR      Y12, w, Y6       \
	VPADDQ    Y14, Y6, Y7      \
	VPANDN    Y6, Y7, Y7       \
	VCVTDQ2PS Y7, Y6           \
	VPSRLD    $23, Y6, Y6      \
	VPSUBQ    Y11, Y6, Y6      \
	VPSRLVQ   Y6, w, v         \
	VPSRLQ    $1, v, v         \
	VPADDQ    Y6, Y6, n        \
	VPADDQ    order, n, n      \
	VPCMPEQQ  Y13, Y7, Y8      \
	VPSUBQ    Y8, n, n         \
	VPSLLVQ   order, Y7, Y7    \
	VPSRLQ    $1, Y7, Y7       \
	VPBLENDVB Y8, power, Y7, Y7 \
	VPANDN    Y7, Y8, Y8       \
	VPADDQ    Y14, Y7, Y7      \
	VPAND     Y7, v, v         \
	VPOR      Y8, v, v

// PUT writes the four lanes of y to the runs at an offset. It overwrites y.
#define PUT(y, x, offset) \
	VMOVLPD      x, (offset)(DI)(AX*8)      \
	VMOVHPD      x, (offset+1024)(DI)(AX*8) \
	VEXTRACTI128 $1, y, x                   \
	VMOVLPD      x, (offset+2048)(DI)(AX*8) \
	VMOVHPD      x, (offset+3072)(DI)(AX*8)

// func runsKernel(r *Runs, buf *byte, from, to int) int
TEXT ·runsKernel(SB), NOSPLIT, $0-40
	MOVQ     r+0(FP), DI
	MOVQ     buf+8(FP), SI
	MOVQ     from+16(FP), AX
	MOVQ     to+24(FP), CX
	VMOVDQU  8192(DI), Y0
	VMOVDQU  8224(DI), Y1
	VMOVDQU  8256(DI), Y2
	VMOVDQU  8288(DI), Y15
	VPCMPEQD Y14, Y14, Y14
	VPSRLQ   $63, Y14, Y13
	VPSLLQ   $29, Y13, Y12
	VPSRLQ   $57, Y14, Y11
	VPSLLVQ  Y1, Y13, Y3
	VPSLLVQ  Y2, Y13, Y4

loop:
	VPSRLQ     $3, Y0, Y6
	VPCMPEQD   Y7, Y7, Y7
	VPGATHERQQ Y7, (SI)(Y6*1), Y5
	VPSLLQ     $61, Y0, Y6
	VPSRLQ     $61, Y6, Y6
	VPSRLVQ    Y6, Y5, Y5
	CLASS(Y5, Y1, Y3, Y9, Y10)
	VPSRLVQ    Y10, Y5, Y5
	CLASS(Y5, Y2, Y4, Y5, Y6)
	VPADDQ     Y6, Y10, Y10
	VPCMPGTQ   8320(DI), Y10, Y6
	VMOVMSKPD  Y6, BX
	TESTL      BX, BX
	JNZ        done
	VPADDQ     Y10, Y0, Y0
	VPADDQ     Y15, Y9, Y15
	VPSUBQ     Y14, Y15, Y15
	VMOVDQA    Y15, Y9
	PUT(Y9, X9, 0)
	VPSUBQ     Y14, Y5, Y5
	PUT(Y5, X5, 4096)
	INCQ       AX
	VPCMPGTQ   8352(DI), Y0, Y6
	VMOVMSKPD  Y6, BX
	TESTL      BX, BX
	JNZ        done
	CMPQ       AX, CX
	JB         loop

done:
	VMOVDQU Y0, 8192(DI)
	MOVQ    AX, ret+32(FP)
	VZEROUPPER
	RET
