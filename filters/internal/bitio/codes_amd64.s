#include "textflag.h"

// CODE is ClassCode of the numbers V in an order: V becomes the code, and LENGTH its length. It uses
// Z8 to Z11; Z4 is ones, Z5 64 and Z6 0.
#define CODE(V, ORDER, LENGTH) \
	VPLZCNTQ V, Z8           \
	VPSUBQ   Z8, Z5, Z8      \
	VPSUBQ   ORDER, Z8, Z8   \
	VPMAXSQ  Z6, Z8, Z8      \ // the class
	VPMINUQ  Z4, Z8, Z9      \
	VPSUBQ   Z9, Z8, Z9      \
	VPADDQ   ORDER, Z9, Z9   \ // bits behind the first one
	VPSLLVQ  Z9, Z4, Z10     \
	VPSUBQ   Z4, Z10, Z10    \
	VPANDQ   Z10, V, V       \
	VPADDQ   V, V, V         \
	VPADDQ   Z4, V, V        \
	VPSLLVQ  Z8, V, V        \
	VPADDQ   Z8, Z9, LENGTH  \
	VPADDQ   Z4, LENGTH, LENGTH

// The last numbers, fewer than eight, are read and written by a mask: what lies behind them may be no memory.
// func codeEight(codes, lengths, keys, counts *uint64, n int, j, k uint64) (longest uint64)
TEXT ·codeEight(SB), NOSPLIT, $0-64
	MOVQ         codes+0(FP), DI
	MOVQ         lengths+8(FP), DX
	MOVQ         keys+16(FP), SI
	MOVQ         counts+24(FP), BX
	MOVQ         n+32(FP), CX
	VPBROADCASTQ j+40(FP), Z2
	VPBROADCASTQ k+48(FP), Z3
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z4
	MOVQ         $64, AX
	VPBROADCASTQ AX, Z5
	VPXORQ       Z6, Z6, Z6
	VPXORQ       Z7, Z7, Z7
	KXNORB       K1, K1, K1

eight:
	CMPQ  CX, $8
	JAE   full
	MOVQ  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVB AX, K1

full:
	VMOVDQU64.Z (SI), K1, Z12
	VMOVDQU64.Z -8(SI), K1, Z13
	VMOVDQU64.Z (BX), K1, Z14
	VPSUBQ      Z13, Z12, Z12
	VPSUBQ.Z    Z4, Z12, K1, Z12
	VPSUBQ.Z    Z4, Z14, K1, Z14
	CODE(Z12, Z2, Z13)
	CODE(Z14, Z3, Z15)
	VPSLLVQ     Z13, Z14, Z14
	VPORQ       Z14, Z12, Z12
	VPADDQ      Z15, Z13, Z13
	VPMAXUQ     Z13, Z7, K1, Z7
	VMOVDQU64   Z12, K1, (DI)
	VMOVDQU64   Z13, K1, (DX)
	ADDQ        $64, SI
	ADDQ        $64, BX
	ADDQ        $64, DI
	ADDQ        $64, DX
	SUBQ        $8, CX
	JA          eight

	VEXTRACTI64X4 $1, Z7, Y8
	VPMAXUQ       Z8, Z7, Z7
	VEXTRACTI128  $1, Y7, X8
	VPMAXUQ       Z8, Z7, Z7
	VPSRLDQ       $8, X7, X8
	VPMAXUQ       Z8, Z7, Z7
	VMOVQ         X7, AX
	MOVQ          AX, longest+56(FP)
	VZEROUPPER
	RET

// What is in AX is behind the bytes that are complete, R8 bits.
// func joinCodes(dst *byte, codes, lengths *uint64, n int, acc, used uint64) (bits, rest uint64)
TEXT ·joinCodes(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ lengths+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ acc+32(FP), AX
	MOVQ used+40(FP), R8
	MOVQ DI, R9
	LEAQ (SI)(CX*8), SI
	LEAQ (DX)(CX*8), DX
	NEGQ CX

join:
	SHLXQ R8, (SI)(CX*8), R10
	ADDQ  (DX)(CX*8), R8
	ORQ   R10, AX
	MOVQ  AX, (DI)
	MOVQ  R8, R11
	SHRQ  $3, R11
	ADDQ  R11, DI
	MOVQ  R8, R11
	ANDQ  $~7, R11
	SHRXQ R11, AX, AX
	ANDQ  $7, R8
	INCQ  CX
	JNZ   join

	SUBQ R9, DI
	SHLQ $3, DI
	ADDQ R8, DI
	MOVQ DI, bits+48(FP)
	MOVQ AX, rest+56(FP)
	RET

// The bit lengths of the numbers are bytes, those that there are not 255; a mask of all bytes up to a length
// has a bit for each number.
// func orderEight(a, b *uint64, n int) (order uint64)
TEXT ·orderEight(SB), NOSPLIT, $128-32
	MOVQ         a+0(FP), SI
	MOVQ         b+8(FP), BX
	MOVQ         n+16(FP), CX
	MOVQ         CX, R10
	LEAQ         0(SP), DI
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z4
	VPBROADCASTB AX, Z3
	MOVQ         $64, AX
	VPBROADCASTQ AX, Z5
	VPTERNLOGD   $0xff, Z0, Z0, Z0
	VMOVDQU64    Z0, (DI)
	VMOVDQU64    Z0, 64(DI)
	KXNORB       K1, K1, K1

numbers:
	CMPQ  CX, $8
	JAE   all
	MOVQ  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVB AX, K1

all:
	VMOVDQU64.Z (SI), K1, Z12
	VMOVDQU64.Z (BX), K1, Z13
	VPSUBQ      Z13, Z12, Z12
	VPSUBQ      Z4, Z12, Z12
	VPLZCNTQ    Z12, Z12
	VPSUBQ      Z12, Z5, Z12
	VPMOVQB     Z12, K1, (DI)
	ADDQ        $64, SI
	ADDQ        $64, BX
	ADDQ        $8, DI
	SUBQ        $8, CX
	JA          numbers

	VMOVDQU64 0(SP), Z0
	VMOVDQU64 64(SP), Z1
	VPXORQ    Z2, Z2, Z2
	XORQ      CX, CX // the order
	VPCMPUB   $2, Z2, Z0, K2
	VPCMPUB   $2, Z2, Z1, K3
	KMOVQ     K2, AX
	KMOVQ     K3, BX
	POPCNTQ   AX, AX
	POPCNTQ   BX, BX
	LEAQ      (AX)(BX*1), R8 // numbers of up to so many bits

order:
	VPADDB  Z3, Z2, Z2
	VPCMPUB $2, Z2, Z0, K2
	VPCMPUB $2, Z2, Z1, K3
	KMOVQ   K2, AX
	KMOVQ   K3, BX
	POPCNTQ AX, AX
	POPCNTQ BX, BX
	ADDQ    BX, AX
	ADDQ    AX, R8
	CMPQ    R8, R10
	JAE     found
	MOVQ    AX, R8
	INCQ    CX
	CMPQ    CX, $56
	JB      order

found:
	MOVQ CX, order+24(FP)
	VZEROUPPER
	RET
