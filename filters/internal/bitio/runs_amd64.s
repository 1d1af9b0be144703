#include "textflag.h"

// Eight readers are read from side by side, each in a part of every register:
//
//	Z0 positions in bits   Z1 keys   Z2, Z3 the orders of gaps and of counts, and one
//	Z4 ones   Z5 7, for the bits of a position   Z6 57   Z7 the last byte that a window begins at
//	Z9 windows, of which what was read is shifted out
//
// The keys of eight cells of each run are in Z16 to Z23, a cell of each in a register, and the
// counts in Z24 to Z31. Of windows, which take longest to come, two pairs are read where they
// hold both. Nothing is changed by a step whose window is not in the buffer or does not hold a pair.

// CLASS is class: of the windows W and the orders and one, ORDER, the length of the code and the value.
// It uses Z14, Z15 and K3.
#define CLASS(W, ORDER, LENGTH, VALUE) \
	VPSUBQ    Z4, W, VALUE          \
	VPTESTNMQ Z4, W, K3             \
	VPANDNQ   VALUE, W, VALUE       \
	VPOPCNTQ  VALUE, VALUE          \ // zeros before the first one
	VMOVDQA64 ORDER, LENGTH         \
	VPSUBQ    Z4, ORDER, K3, LENGTH \
	VPADDQ    VALUE, LENGTH, LENGTH \
	VPSUBQ    Z4, LENGTH, Z14       \ // bits behind the first one
	VPSLLVQ   Z14, Z4, Z14          \
	VPADDQ    VALUE, LENGTH, LENGTH \
	VPADDQ    Z4, VALUE, VALUE      \
	VPSRLVQ   VALUE, W, VALUE       \
	VPSUBQ    Z4, Z14, Z15          \
	VPANDQ    Z15, VALUE, VALUE     \
	VPORQ     Z14, VALUE, K3, VALUE

// FETCH makes Z9 the windows, of which nothing is read.
#define FETCH \
	VPSRLQ     $3, Z0, Z8           \
	VPCMPUQ    $6, Z7, Z8, K2       \
	KORTESTB   K2, K2               \
	JNZ        end                  \
	KXNORB     K1, K1, K1           \
	VPGATHERQQ (SI)(Z8*1), K1, Z9   \
	VPANDQ     Z5, Z0, Z10          \
	VPSRLVQ    Z10, Z9, Z9

// PAIR reads a pair, which is a number of bits long, Z10, and leaves what is behind it in Z9.
#define PAIR(KEYS, COUNTS) \
	CLASS(Z9, Z2, Z10, KEYS)        \
	VPSRLVQ    Z10, Z9, Z9          \
	CLASS(Z9, Z3, Z11, COUNTS)      \
	VPSRLVQ    Z11, Z9, Z9          \
	VPADDQ     Z10, Z11, Z10

#define NEXT(KEYS, COUNTS) \
	VPADDQ     Z10, Z0, Z0          \
	VPADDQ     KEYS, Z1, Z1         \
	VPADDQ     Z4, Z1, Z1           \
	VMOVDQA64  Z1, KEYS             \
	VPADDQ     Z4, COUNTS, COUNTS   \
	DECQ       CX                   \
	JZ         end

// STEPS are two, both of the same windows where they have them.
#define STEPS(A, B, C, D, AGAIN, READ) \
	FETCH                           \
	PAIR(A, C)                      \
	VPCMPUQ    $6, Z6, Z10, K2      \
	KORTESTB   K2, K2               \
	JNZ        end                  \
	NEXT(A, C)                      \
	VMOVDQA64  Z10, Z12             \
	PAIR(B, D)                      \
	VPADDQ     Z10, Z12, Z12        \
	VPCMPUQ    $6, Z6, Z12, K2      \
	KORTESTB   K2, K2               \
	JNZ        AGAIN                \
READ:                               \
	NEXT(B, D)

// ONE is the second of two steps, of windows of its own.
#define ONE(B, D, AGAIN, READ) \
AGAIN:                              \
	FETCH                           \
	PAIR(B, D)                      \
	VPCMPUQ    $6, Z6, Z10, K2      \
	KORTESTB   K2, K2               \
	JNZ        end                  \
	JMP        READ

// STORE writes the cells of eight steps, each register with one of each run, run by run: those of
// four at DI and at DI + 8192.
#define STORE(A, B, C, D, E, F, G, H) \
	VPUNPCKLQDQ B, A, Z8             \
	VPUNPCKHQDQ B, A, Z9             \
	VPUNPCKLQDQ D, C, Z10            \
	VPUNPCKHQDQ D, C, Z11            \
	VPUNPCKLQDQ F, E, Z12            \
	VPUNPCKHQDQ F, E, Z13            \
	VPUNPCKLQDQ H, G, Z14            \
	VPUNPCKHQDQ H, G, Z15            \
	VSHUFI64X2  $0x88, Z10, Z8, A    \
	VSHUFI64X2  $0xdd, Z10, Z8, B    \
	VSHUFI64X2  $0x88, Z14, Z12, C   \
	VSHUFI64X2  $0xdd, Z14, Z12, D   \
	VSHUFI64X2  $0x88, Z11, Z9, E    \
	VSHUFI64X2  $0xdd, Z11, Z9, F    \
	VSHUFI64X2  $0x88, Z15, Z13, G   \
	VSHUFI64X2  $0xdd, Z15, Z13, H   \
	VSHUFI64X2  $0x88, C, A, Z8      \
	VSHUFI64X2  $0x88, G, E, Z9      \
	VSHUFI64X2  $0x88, D, B, Z10     \
	VSHUFI64X2  $0x88, H, F, Z11     \
	VSHUFI64X2  $0xdd, C, A, Z12     \
	VSHUFI64X2  $0xdd, G, E, Z13     \
	VSHUFI64X2  $0xdd, D, B, Z14     \
	VSHUFI64X2  $0xdd, H, F, Z15     \
	VMOVDQU64   Z8, (DI)             \
	VMOVDQU64   Z9, 1024(DI)         \
	VMOVDQU64   Z10, 2048(DI)        \
	VMOVDQU64   Z11, 3072(DI)        \
	VMOVDQU64   Z12, 8192(DI)        \
	VMOVDQU64   Z13, 9216(DI)        \
	VMOVDQU64   Z14, 10240(DI)       \
	VMOVDQU64   Z15, 11264(DI)

// func readEight(s *eightState, base *byte, last uint64, out *uint64, steps int) int
TEXT ·readEight(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), AX
	MOVQ         base+8(FP), SI
	MOVQ         out+24(FP), DI
	MOVQ         steps+32(FP), DX
	VPBROADCASTQ last+16(FP), Z7
	VMOVDQU64    (AX), Z0
	VMOVDQU64    64(AX), Z1
	VMOVDQU64    128(AX), Z2
	VMOVDQU64    192(AX), Z3
	MOVQ         $1, BX
	VPBROADCASTQ BX, Z4
	MOVQ         $7, BX
	VPBROADCASTQ BX, Z5
	MOVQ         $57, BX
	VPBROADCASTQ BX, Z6
	VPADDQ       Z4, Z2, Z2
	VPADDQ       Z4, Z3, Z3

	// The first group has what is left over by groups of eight, so that the last one ends with the runs.
	MOVQ DX, CX
	DECQ CX
	ANDQ $7, CX
	INCQ CX

group:
	MOVQ CX, R8
	STEPS(Z16, Z17, Z24, Z25, again1, read1)
	STEPS(Z18, Z19, Z26, Z27, again2, read2)
	STEPS(Z20, Z21, Z28, Z29, again3, read3)
	STEPS(Z22, Z23, Z30, Z31, again4, read4)
	JMP end

	ONE(Z17, Z25, again1, read1)
	ONE(Z19, Z27, again2, read2)
	ONE(Z21, Z29, again3, read3)
	ONE(Z23, Z31, again4, read4)

end:
	STORE(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	ADDQ  $4096, DI
	STORE(Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31)
	SUBQ  CX, R8              // cells of this group
	LEAQ  -4096(DI)(R8*8), DI
	SUBQ  R8, DX
	TESTQ CX, CX
	JNZ   done                // a step was not made
	MOVQ  $8, CX
	TESTQ DX, DX
	JNZ   group

done:
	VMOVDQU64 Z0, (AX)
	VMOVDQU64 Z1, 64(AX)
	MOVQ      steps+32(FP), BX
	SUBQ      DX, BX
	MOVQ      BX, ret+40(FP)
	VZEROUPPER
	RET
