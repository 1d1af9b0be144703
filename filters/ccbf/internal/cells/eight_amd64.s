#include "textflag.h"

// The bytes of part j are the last order of eight, and j.
DATA lastOrders<>+0(SB)/8, $0x0707070707070707
DATA lastOrders<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA lastOrders<>+16(SB)/8, $0x1717171717171717
DATA lastOrders<>+24(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA lastOrders<>+32(SB)/8, $0x2727272727272727
DATA lastOrders<>+40(SB)/8, $0x2f2f2f2f2f2f2f2f
DATA lastOrders<>+48(SB)/8, $0x3737373737373737
DATA lastOrders<>+56(SB)/8, $0x3f3f3f3f3f3f3f3f
GLOBL lastOrders<>(SB), RODATA|NOPTR, $64
DATA numbers<>+0(SB)/8, $0x0000000000000000
DATA numbers<>+8(SB)/8, $0x0101010101010101
DATA numbers<>+16(SB)/8, $0x0202020202020202
DATA numbers<>+24(SB)/8, $0x0303030303030303
DATA numbers<>+32(SB)/8, $0x0404040404040404
DATA numbers<>+40(SB)/8, $0x0505050505050505
DATA numbers<>+48(SB)/8, $0x0606060606060606
DATA numbers<>+56(SB)/8, $0x0707070707070707
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// Which bits are those of the upper coordinates, and how far the lower one of each two is from its place.
DATA upper<>+32(SB)/8, $0x5555555555555555
DATA upper<>+40(SB)/8, $0xaaaaaaaaaaaaaaaa
GLOBL upper<>(SB), RODATA|NOPTR, $64
DATA above<>+8(SB)/8, $1
DATA above<>+40(SB)/8, $1
GLOBL above<>(SB), RODATA|NOPTR, $64

// Words that all parts are.
DATA every<>+0(SB)/8, $0x3333333333333333
DATA every<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA every<>+16(SB)/8, $0x00ff00ff00ff00ff
DATA every<>+24(SB)/8, $0x0000ffff0000ffff
DATA every<>+32(SB)/8, $0xffffffff
DATA every<>+40(SB)/8, $0x55555555
DATA every<>+48(SB)/8, $640
DATA every<>+56(SB)/8, $0x0fffffff
DATA every<>+64(SB)/8, $0x00003fff00003fff
DATA every<>+72(SB)/8, $0x0fffc0000fffc000
DATA every<>+80(SB)/8, $0x007f007f007f007f
DATA every<>+88(SB)/8, $0x3f803f803f803f80
DATA every<>+96(SB)/8, $8
DATA every<>+104(SB)/8, $0x8080808080808080
GLOBL every<>(SB), RODATA|NOPTR, $112

// CLOSER has each group of bits of A behind the one before, where C is.
#define CLOSER(SHIFT, C, A) \
	VPSRLQ      SHIFT, A, Z11        \
	VPTERNLOGQ  $0xa8, C, Z11, A

// APART has the upper halves HIGH of all groups of bits of A, of which LOW are the others, further above.
#define APART(SHIFT, HIGH, LOW, A) \
	VPANDQ      HIGH, A, Z11         \
	VPANDQ      LOW, A, A            \
	VPSLLQ      SHIFT, Z11, Z11      \
	VPORQ       Z11, A, A

// SORT is a step of the sort of A, of which P is a permutation, to B: the larger number of each pair
// stays where K says. It changes neither A nor P.
#define SORT(A, P, K, B) \
	VPMINUQ P, A, B      \
	VPMAXUQ P, A, K, B

// REACHED is the first part of whose bytes, orders in Z7, the best order is one: of how many lengths in
// Z6 are up to an order, and up to the next one, the sum is at least Z24. It uses Z7, Z8 and K5.
#define REACHED(TO) \
	VPCMPUB    $2, Z7, Z6, K5     \
	VMOVDQU8.Z Z23, K5, Z8        \
	VPADDB     Z23, Z7, Z7        \
	VPCMPUB    $2, Z7, Z6, K5     \
	VPADDB     Z23, Z8, K5, Z8    \
	VPSADBW    Z9, Z8, Z8         \
	VPCMPUQ    $5, Z24, Z8, K5    \
	KMOVB      K5, TO             \
	TZCNTL     TO, TO

// TOGETHER writes the bits that any part of Z has to memory. It uses Y4 and X4.
#define TOGETHER(Z, Y, X, TO) \
	VEXTRACTI64X4 $1, Z, Y4  \
	VPOR          Y4, Y, Y   \
	VEXTRACTI128  $1, Y, X4  \
	VPOR          X4, X, X   \
	VPSRLDQ       $8, X, X4  \
	VPOR          X4, X, X   \
	VMOVQ         X, TO

// func encodeEights(all *Eight, words *uint64, begins *int, n int)
TEXT ·encodeEights(SB), NOSPLIT, $0-32
	MOVQ         all+0(FP), DI
	MOVQ         words+8(FP), R10
	MOVQ         begins+16(FP), R11
	MOVQ         n+24(FP), R12
	XORL         R13, R13
	MOVL         $0xaa, AX
	KMOVB        AX, K2
	MOVL         $0xcc, AX
	KMOVB        AX, K3
	MOVL         $0xf0, AX
	KMOVB        AX, K4
	MOVL         $1, AX
	KMOVB        AX, K7
	VPBROADCASTB AX, Z23
	VPBROADCASTQ AX, Z25
	MOVL         $64, AX
	VPBROADCASTQ AX, Z21
	MOVQ         $0x5555555555555555, AX
	VPBROADCASTQ AX, Z2
	VPADDQ       Z2, Z2, Z22
	VPXORQ       Z9, Z9, Z9
	VPTERNLOGQ   $0xff, Z20, Z20, Z20
	VMOVDQA64.Z  Z25, K7, Z28
	VMOVDQU64    lastOrders<>(SB), Z26
	VMOVDQU64    numbers<>(SB), Z27
	VPBROADCASTQ every<>+0(SB), Z29
	VPBROADCASTQ every<>+8(SB), Z30
	VPBROADCASTQ every<>+16(SB), Z31

next:
	MOVQ         (R11), AX
	MOVQ         8(R11), CX
	LEAQ         (R10)(AX*8), SI
	SUBQ         AX, CX
	MOVQ         R13, 88(DI)
	LEAQ         -1(CX), AX
	CMPQ         AX, $8
	JAE          none

	// The keys, behind them ones in Z0 and zeros in Z1.
	MOVL         $-1, BX
	SHLL         CX, BX
	NOTL         BX
	KMOVB        BX, K1
	VMOVDQA64    Z20, Z0
	VMOVDQU64    (SI), K1, Z0
	VMOVDQU64.Z  (SI), K1, Z1
	VPBROADCASTQ AX, Z24

	// The corners: the least of each coordinate, and of its complement.
	VPANDQ       Z2, Z0, Z3
	VPANDQ       Z22, Z0, Z4
	VPANDNQ      Z2, Z1, Z5
	VPANDNQ      Z22, Z1, Z6
	VPUNPCKLQDQ  Z4, Z3, Z7
	VPUNPCKHQDQ  Z4, Z3, Z8
	VPMINUQ      Z8, Z7, Z7
	VPUNPCKLQDQ  Z6, Z5, Z10
	VPUNPCKHQDQ  Z6, Z5, Z11
	VPMINUQ      Z11, Z10, Z10
	VSHUFI64X2   $0x88, Z10, Z7, Z3
	VSHUFI64X2   $0xdd, Z10, Z7, Z4
	VPMINUQ      Z4, Z3, Z3
	VSHUFI64X2   $0xb1, Z3, Z3, Z4
	VPMINUQ      Z4, Z3, Z3
	VPSHUFD      $0x4e, X3, X12
	VPOR         X3, X12, X12 // the key of the lowest corner

	// Their coordinates, the bits of each together.
	VPXORQ       upper<>(SB), Z3, Z3
	VMOVDQU64    above<>(SB), Z4
	VPSRLVQ      Z4, Z3, Z3
	CLOSER($1, Z29, Z3)
	CLOSER($2, Z30, Z3)
	CLOSER($4, Z31, Z3)
	VPBROADCASTQ every<>+24(SB), Z4
	CLOSER($8, Z4, Z3)
	VPBROADCASTQ every<>+32(SB), Z4
	CLOSER($16, Z4, Z3)
	VEXTRACTI64X4 $1, Z3, Y4
	VPSUBQ       X3, X4, X13 // widths
	VPBROADCASTQ every<>+40(SB), Z4
	VPSUBQ       Z4, Z3, Z3
	VPSRAQ       $63, Z3, Z4
	VPADDQ       Z3, Z3, Z3
	VPXORQ       Z4, Z3, Z3  // of either sign
	VINSERTI32X4 $1, X13, Z3, Z17

	// Batcher's bitonic sort.
	VPSHUFD      $0x4e, Z0, Z3
	SORT(Z0, Z3, K2, Z1)
	VPERMQ       $0x1b, Z1, Z3
	SORT(Z1, Z3, K3, Z0)
	VPSHUFD      $0x4e, Z0, Z3
	SORT(Z0, Z3, K2, Z1)
	VSHUFI64X2   $0x1b, Z1, Z1, Z3
	VPSHUFD      $0x4e, Z3, Z3
	SORT(Z1, Z3, K4, Z0)
	VPERMQ       $0x4e, Z0, Z3
	SORT(Z0, Z3, K3, Z1)
	VPSHUFD      $0x4e, Z1, Z3
	SORT(Z1, Z3, K2, Z0)

	// If none comes again, so many cells.
	VALIGNQ      $7, Z0, Z0, Z3
	ANDL         $0xfe, BX
	KMOVB        BX, K6
	VPCMPUQ      $0, Z0, Z3, K6, K5
	KMOVB        K5, AX
	TESTL        AX, AX
	CMOVQNE      R13, CX
	MOVQ         CX, 88(DI)

	// Varints of the bounds, and of where in them the first cell is.
	VPSUBQ       Z12, Z0, Z12
	VSHUFI64X2   $0x44, Z12, Z17, Z17
	VPORQ        Z25, Z17, Z18
	VPLZCNTQ     Z18, Z18
	VPSLLQ       $3, Z18, Z19
	VPADDQ       Z18, Z19, Z19
	VPBROADCASTQ every<>+48(SB), Z18
	VPSUBQ       Z19, Z18, Z18
	VPSRLQ       $6, Z18, Z18 // bytes
	VPMOVQB      Z18, 96(DI)
	VPBROADCASTQ every<>+56(SB), Z4
	VPANDNQ      Z20, Z4, Z5
	APART($4, Z5, Z4, Z17)
	VPBROADCASTQ every<>+64(SB), Z4
	VPBROADCASTQ every<>+72(SB), Z5
	APART($2, Z5, Z4, Z17)
	VPBROADCASTQ every<>+80(SB), Z4
	VPBROADCASTQ every<>+88(SB), Z5
	APART($1, Z5, Z4, Z17)
	VPSLLQ       $3, Z18, Z18
	VPBROADCASTQ every<>+96(SB), Z4
	VPSUBQ       Z4, Z18, Z18
	VPSLLVQ      Z18, Z20, Z18
	VPBROADCASTQ every<>+104(SB), Z4
	VPANDNQ      Z4, Z18, Z18
	VPORQ        Z18, Z17, Z17
	VMOVDQU64    Z17, (DI)

	// Gaps, and their bit lengths; behind the last gap, and before the first, lengths above all orders.
	VPSUBQ.Z     Z3, Z0, K6, Z4
	VPADDQ.Z     Z20, Z4, K6, Z4
	VPLZCNTQ     Z4, Z5
	VPSUBQ       Z5, Z21, Z5
	VMOVDQA64    Z20, Z6
	VMOVDQA64    Z5, K6, Z6
	VPMOVQB      Z6, X6
	VPBROADCASTQ X6, Z6

	// The best order: of eight parts of all orders, then of one part.
	VMOVDQA64    Z26, Z7
	REACHED(AX)
	SHLL         $3, AX
	VPBROADCASTB AX, Z7
	VPADDB       Z27, Z7, Z7
	REACHED(DX)
	ADDL         DX, AX
	MOVL         $56, DX
	CMPL         AX, DX
	CMOVLGT      DX, AX
	MOVQ         AX, 104(DI)

	// Codes of gaps, behind each that of a count of one in order 0, and how long they are.
	VPBROADCASTQ AX, Z10
	VPADDQ       Z25, Z10, Z12
	VPMAXUQ      Z10, Z5, Z11
	VPSUBQ       Z10, Z11, Z11 // the class
	VPMAXUQ      Z12, Z5, Z12
	VPADDQ       Z20, Z12, Z12 // bits behind it
	VPSLLVQ      Z12, Z20, Z13
	VPANDNQ      Z4, Z13, Z13
	VPADDQ       Z13, Z13, Z13
	VPORQ        Z25, Z13, Z13
	VPSLLVQ      Z11, Z13, Z13
	VPADDQ       Z11, Z12, Z14
	VPADDQ       Z25, Z14, Z14
	VPSLLVQ      Z14, Z25, Z15
	VPORQ        Z15, Z13, Z13
	VPADDQ       Z25, Z14, Z14

	// Before the first gap that of the first count; none behind the last.
	VMOVDQA64    Z28, Z16
	VMOVDQA64    Z28, Z17
	VMOVDQA64    Z13, K6, Z16
	VMOVDQA64    Z14, K6, Z17

	// Where each ends.
	VALIGNQ      $7, Z9, Z17, Z18
	VPADDQ       Z18, Z17, Z18
	VALIGNQ      $6, Z9, Z18, Z19
	VPADDQ       Z19, Z18, Z18
	VALIGNQ      $4, Z9, Z18, Z19
	VPADDQ       Z19, Z18, Z18
	VEXTRACTI64X4 $1, Z18, Y5
	VEXTRACTI128 $1, Y5, X5
	VPEXTRQ      $1, X5, R9
	VPCMPUQ      $6, Z21, Z17, K5 // longer than a word
	KMOVB        K5, AX
	SHLL         $8, AX
	ORL          AX, R9
	MOVQ         R9, 64(DI)

	// Two words of them.
	VPSUBQ       Z17, Z18, Z18
	VPSLLVQ      Z18, Z16, Z3
	TOGETHER(Z3, Y3, X3, 72(DI))
	VPSUBQ       Z18, Z21, Z19
	VPSRLVQ      Z19, Z16, Z3
	VPSUBQ       Z21, Z18, Z19
	VPSLLVQ      Z19, Z16, Z5
	VPORQ        Z5, Z3, Z3
	TOGETHER(Z3, Y3, X3, 80(DI))

none:
	ADDQ         $8, R11
	ADDQ         $128, DI
	DECQ         R12
	JNZ          next
	VZEROUPPER
	RET
