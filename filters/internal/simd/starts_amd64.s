#include "textflag.h"

// startsKernel is the kernel of Starts in counters.go: remainders of hashes in floating point, for
// eight keys in each pass of the loop. A hash is 2^36 * high + low. Replacing 2^36 by its remainder
// leaves a number below 2^52. The quotient, rounded to the nearest whole number, is then off by at
// most one.
//
// Registers:
//   Y0 to Y3 hashes, Y4 to Y7 scratch, Y10 and Y11 constants that convert to whole numbers
//   Y12 2^36 modulo the size, Y13 the size, Y14 its inverse, Y15 the size in 32 bits
//   AX keys done, CX number of keys, SI and DI hashes, R8 first counters, R9 steps

// A number four times.
#define FOUR(name, number) \
	DATA name<>+0(SB)/8, number  \
	DATA name<>+8(SB)/8, number  \
	DATA name<>+16(SB)/8, number \
	DATA name<>+24(SB)/8, number \
	GLOBL name<>(SB), RODATA|NOPTR, $32

FOUR(low36, $0xfffffffff)
FOUR(whole, $0x4330000000000000)   // 2^52
FOUR(nearest, $0x4338000000000000) // 3*2^51

// REMAINDER replaces y in each lane by a number whose low half is y modulo the size, or that less
// the size. With y = high*2^36 + low, it divides high*(2^36 mod size) + low. That is below 2^52, so
// a double holds it. The rounded quotient is off by less than one half and the inverse of the size.
// It overwrites a.
#define REMAINDER(y, a) \
	VPSRLQ       $36, y, a         \
	VPAND        low36<>(SB), y, y \
	VPMULUDQ     Y12, a, a         \
	VPADDQ       a, y, y           \
	VPOR         Y11, y, y         \
	VSUBPD       Y11, y, y         \
	VMOVAPD      Y10, a            \
	VFMADD231PD  Y14, y, a         \
	VSUBPD       Y10, a, a         \
	VFNMADD231PD Y13, a, y         \
	VADDPD       Y10, y, y

// STARTS computes the first counters and the steps from the remainders Y0 and Y1 of both hashes. A
// remainder may be below 0 by less than the size.
#define STARTS \
	VPADDD  Y15, Y0, Y4 \
	VPADDD  Y15, Y1, Y5 \
	VPMINUD Y4, Y0, Y0  \ // a number below 0 is a large one
	VPMINUD Y5, Y1, Y1  \
	VPADDD  Y1, Y0, Y0  \
	VPSUBD  Y15, Y0, Y4 \
	VPMINUD Y4, Y0, Y0

// func startsKernel(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, float, inverse float64)
TEXT ·startsKernel(SB), NOSPLIT, $0-72
	MOVQ         at+0(FP), R8
	MOVQ         step+8(FP), R9
	MOVQ         h1+16(FP), SI
	MOVQ         h2+24(FP), DI
	MOVQ         n+32(FP), CX
	VPBROADCASTD size+40(FP), Y15
	VPBROADCASTQ inverse+64(FP), Y14
	VPBROADCASTQ float+56(FP), Y13
	VPBROADCASTQ rest+48(FP), Y12
	VMOVDQU      whole<>(SB), Y11
	VMOVDQU      nearest<>(SB), Y10
	XORQ         AX, AX

loop:
	VMOVDQU (SI)(AX*8), Y0
	VMOVDQU (DI)(AX*8), Y1
	VMOVDQU 32(SI)(AX*8), Y2
	VMOVDQU 32(DI)(AX*8), Y3
	REMAINDER(Y0, Y4)
	REMAINDER(Y1, Y5)
	REMAINDER(Y2, Y6)
	REMAINDER(Y3, Y7)

	// The low halves of keys 0, 1, 4, 5, 2, 3, 6 and 7.
	VSHUFPS $0x88, Y2, Y0, Y0
	VSHUFPS $0x88, Y3, Y1, Y1
	STARTS
	VPERMQ  $0xD8, Y0, Y0
	VPERMQ  $0xD8, Y1, Y1
	VMOVDQU Y0, (R8)(AX*4)
	VMOVDQU Y1, (R9)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JB      loop
	VZEROUPPER
	RET
