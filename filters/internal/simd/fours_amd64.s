#include "textflag.h"

// The least of four counters of 4 bits, eight keys a turn: VPGATHERDD loads four bytes around each. Where one
// with a flag may be the least and the second layer has 8 bits, that is read too, at positions modulo its size by floating
// point.
// Y4 positions, Y3 steps, Y5 the least so far and Y6 the least of digits, Y7 to Y10 counters, Y11 to Y14 masks, Y15 the size,
// Y1 and Y2 the inverse and the size of the layer above, Y0 scratch; DI what is read, SI keys that are left, R8 and R9 starts and
// steps, R10 and R12 layers, CX keys, AX those that are done.
// In Go: LeastFours in counters.go.

// LOAD loads the counters at position into c: of so many bits, 1<<places of them in 4 bytes.
// Y0 to Y2 are lost.
#define LOAD(position, base, places, within, bits, mask, c) \
	VPSRLD     $places, position, Y0  \
	VPCMPEQD   Y1, Y1, Y1             \
	VPGATHERDD Y1, (base)(Y0*4), c    \
	VPAND      within, position, Y2   \
	VPSLLD     $bits, Y2, Y2          \
	VPSRLVD    Y2, c, c               \
	VPAND      mask, c, c

// NEXT is the positions after these; Y0 is lost.
#define NEXT(position, step, size) \
	VPADDD  step, position, position \
	VPSUBD  size, position, Y0       \
	VPMINUD Y0, position, position

// LEAST adds counters to the least so far, in Y5, and their digits to the least of those, in Y6.
#define LEAST(c) \
	VPMINUD c, Y5, Y5   \
	VPAND   Y14, c, Y0  \
	VPMINUD Y0, Y6, Y6

// MODULO makes of y, below 2^23, y modulo a size in Y15, which has an inverse in Y1 and is a
// float in Y2: the quotient is wrong by less than one half and a bit. Y0 is lost.
#define MODULO(y) \
	VCVTDQ2PS    y, y       \
	VMULPS       Y1, y, Y0  \
	VROUNDPS     $0, Y0, Y0 \
	VFNMADD231PS Y2, Y0, y  \
	VCVTPS2DQ    y, y       \
	VPADDD       Y15, y, Y0 \
	VPMINUD      Y0, y, y

// ABOVE adds what counters c and those of the second layer read to the least so far, in Y5, where
// a flag of the latter counts as 1024, and in Y6 without flags. Y0 to Y3 are lost.
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
