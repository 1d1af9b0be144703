#include "textflag.h"

// foursKernel is the kernel of LeastFours in counters.go: the least of four 4-bit counters, for
// eight keys in each pass of the loop. VPGATHERDD loads the four bytes around each counter. If a
// counter with a flag may be the least and the second layer has 8 bits, the kernel reads that layer
// too. It computes the position modulo the layer's size in floating point.
//
// Registers:
//   Y0 scratch, Y1 and Y2 inverse and size of the second layer, Y3 steps, Y4 positions
//   Y5 least count so far, Y6 least digit so far, Y7 to Y10 counters, Y11 to Y14 masks, Y15 size
//   AX keys done, CX number of keys, DI counts, SI bits of keys left
//   R8 first counters, R9 steps, R10 first layer, R12 second layer

// LOAD loads the counters at positions into c. There are 1<<places counters in 4 bytes. It
// overwrites Y0 to Y2.
#define LOAD(position, base, places, within, bits, mask, c) \
	VPSRLD     $places, position, Y0  \
	VPCMPEQD   Y1, Y1, Y1             \
	VPGATHERDD Y1, (base)(Y0*4), c    \
	VPAND      within, position, Y2   \
	VPSLLD     $bits, Y2, Y2          \
	VPSRLVD    Y2, c, c               \
	VPAND      mask, c, c

// NEXT computes the next positions. It overwrites Y0.
#define NEXT(position, step, size) \
	VPADDD  step, position, position \
	VPSUBD  size, position, Y0       \
	VPMINUD Y0, position, position

// LEAST updates the least count in Y5 with counters, and the least digit in Y6 with their digits.
#define LEAST(c) \
	VPMINUD c, Y5, Y5   \
	VPAND   Y14, c, Y0  \
	VPMINUD Y0, Y6, Y6

// MODULO replaces y, which is below 2^23, by y modulo a size. Y15 has the size, Y1 its inverse, and
// Y2 the size as a float. The quotient is off by little more than one half at most. It overwrites
// Y0.
#define MODULO(y) \
	VCVTDQ2PS    y, y       \
	VMULPS       Y1, y, Y0  \
	VROUNDPS     $0, Y0, Y0 \
	VFNMADD231PS Y2, Y0, y  \
	VCVTPS2DQ    y, y       \
	VPADDD       Y15, y, Y0 \
	VPMINUD      Y0, y, y

// ABOVE updates the least count in Y5 with the counters c and those of the second layer, in which a
// flag counts as 1024. It updates Y6 without flags. It overwrites Y0 to Y3.
#define ABOVE(c) \
	LOAD(Y4, R12, 2, Y12, 3, Y11, Y3) \
	VPSLLD  $28, c, Y0                \
	VPSRAD  $31, Y0, Y0               \
	VPAND   Y0, Y3, Y3                \
	VPSLLD  $3, Y3, Y3                \
	VPAND   Y14, c, c                 \
	VPADDD  c, Y3, Y3                 \
	VPMINUD Y3, Y5, Y5                \
	VPSLLD  $22, Y3, Y3               \
	VPSRLD  $22, Y3, Y3               \
	VPMINUD Y3, Y6, Y6

// func foursKernel(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32)
TEXT ·foursKernel(SB), NOSPLIT, $0-76
	MOVQ     dst+0(FP), DI
	MOVQ     left+8(FP), SI
	MOVQ     at+16(FP), R8
	MOVQ     step+24(FP), R9
	MOVQ     n+32(FP), CX
	MOVQ     first+40(FP), R10
	MOVQ     second+48(FP), R12
	VPCMPEQD Y13, Y13, Y13
	VPSRLD   $29, Y13, Y14 // 7
	VPSRLD   $30, Y13, Y12 // 3
	VPSRLD   $24, Y13, Y11 // 255
	XORQ     AX, AX

loop:
	VPBROADCASTD size+56(FP), Y15
	VPSRLD       $4, Y11, Y13 // 15
	VMOVDQU      (R8)(AX*4), Y4
	VMOVDQU      (R9)(AX*4), Y3
	LOAD(Y4, R10, 3, Y14, 2, Y13, Y7)
	NEXT(Y4, Y3, Y15)
	LOAD(Y4, R10, 3, Y14, 2, Y13, Y8)
	NEXT(Y4, Y3, Y15)
	LOAD(Y4, R10, 3, Y14, 2, Y13, Y9)
	NEXT(Y4, Y3, Y15)
	LOAD(Y4, R10, 3, Y14, 2, Y13, Y10)
	VMOVDQA      Y7, Y5
	VPAND        Y14, Y7, Y6
	LEAST(Y8)
	LEAST(Y9)
	LEAST(Y10)
	VPCMPGTD     Y6, Y5, Y0 // a counter with a flag may be the least
	VMOVMSKPS    Y0, BX
	TESTL        BX, BX
	JZ           write
	TESTQ        R12, R12
	JZ           write
	VPBROADCASTD above+64(FP), Y15
	VBROADCASTSS inverse+72(FP), Y1
	VCVTDQ2PS    Y15, Y2
	VMOVDQU      (R8)(AX*4), Y4
	MODULO(Y4)
	MODULO(Y3)
	VMOVDQA      Y3, Y13
	VPCMPEQD     Y5, Y5, Y5
	VMOVDQA      Y5, Y6
	ABOVE(Y7)
	NEXT(Y4, Y13, Y15)
	ABOVE(Y8)
	NEXT(Y4, Y13, Y15)
	ABOVE(Y9)
	NEXT(Y4, Y13, Y15)
	ABOVE(Y10)
	VPCMPGTD     Y6, Y5, Y0
	VMOVMSKPS    Y0, BX

write:
	MOVB         BX, (SI)
	INCQ         SI
	VPMOVZXDQ    X5, Y0
	VEXTRACTI128 $1, Y5, X5
	VPMOVZXDQ    X5, Y1
	VMOVDQU      Y0, (DI)(AX*8)
	VMOVDQU      Y1, 32(DI)(AX*8)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JB           loop
	VZEROUPPER
	RET
