#include "textflag.h"

// AVX-512 multiplies numbers of 64 bits in one instruction, AVX2 in seven.

// FOLD8 is z ^ z>>33; a is lost.
#define FOLD8(z, a) \
	VPSRLQ $33, z, a \
	VPXORQ a, z, z

// MIX8 is Mix of both states; Z4 and Z5 are lost.
#define MIX8(one, two) \
	FOLD8(one, Z4)        \
	FOLD8(two, Z5)        \
	VPMULLQ Z15, one, one \
	VPMULLQ Z15, two, two \
	FOLD8(one, Z4)        \
	FOLD8(two, Z5)        \
	VPMULLQ Z13, one, one \
	VPMULLQ Z13, two, two \
	FOLD8(one, Z4)        \
	FOLD8(two, Z5)

// CONSTANTS8 loads what FINISH8 needs.
#define CONSTANTS8 \
	MOVQ         $0xff51afd7ed558ccd, R8 \
	VPBROADCASTQ R8, Z15                 \
	MOVQ         $0xc4ceb9fe1a85ec53, R8 \
	VPBROADCASTQ R8, Z13                 \
	MOVQ         $1, R8                  \
	VPBROADCASTQ R8, Z11

// FACTORS8 loads what values are multiplied by before they are in a state.
#define FACTORS8 \
	MOVQ         $0x87c37b91114253d5, R8 \
	VPBROADCASTQ R8, Z9                  \
	MOVQ         $0x4cf5ad432745937f, R8 \
	VPBROADCASTQ R8, Z10

// WRITE8 makes hashes of the mixed states of 8 keys, in Z0 and Z1, and writes them.
#define WRITE8 \
	VPADDQ    Z1, Z0, Z0     \
	VPADDQ    Z0, Z1, Z1     \
	VPORQ     Z11, Z1, Z1    \
	VMOVDQU64 Z0, (SI)(AX*8) \
	VMOVDQU64 Z1, (DI)(AX*8)

// FINISH8 makes hashes of the states of 8 keys, in Z0 and Z1, and writes them.
#define FINISH8 \
	VPADDQ Z1, Z0, Z0 \
	VPADDQ Z0, Z1, Z1 \
	MIX8(Z0, Z1)      \
	WRITE8

// func finishEight(h1s, h2s *uint64, n int)
TEXT ·finishEight(SB), NOSPLIT, $0-24
	MOVQ h1s+0(FP), SI
	MOVQ h2s+8(FP), DI
	MOVQ n+16(FP), CX
	CONSTANTS8
	XORQ AX, AX

loop8:
	VMOVDQU64 (SI)(AX*8), Z0
	VMOVDQU64 (DI)(AX*8), Z1
	FINISH8
	ADDQ      $8, AX
	CMPQ      AX, CX
	JB        loop8
	VZEROUPPER
	RET

// func rowEight(h1s, h2s, columns *uint64, n int, row uint64)
TEXT ·rowEight(SB), NOSPLIT, $0-40
	MOVQ         h1s+0(FP), SI
	MOVQ         h2s+8(FP), DI
	MOVQ         columns+16(FP), DX
	MOVQ         n+24(FP), CX
	VPBROADCASTQ row+32(FP), Z6
	MOVQ         $0x38495ab5, R8
	VPBROADCASTQ R8, Z7
	MOVQ         $16, R8
	VPBROADCASTQ R8, Z8
	CONSTANTS8
	XORQ         AX, AX

row8:
	VMOVDQU64 (DX)(AX*8), Z0
	VPADDQ    Z0, Z6, Z1
	VPSLLQ    $2, Z1, Z4
	VPADDQ    Z4, Z1, Z1
	VPADDQ    Z7, Z1, Z1
	VPXORQ    Z8, Z0, Z0
	VPXORQ    Z8, Z1, Z1
	FINISH8
	ADDQ      $8, AX
	CMPQ      AX, CX
	JB        row8
	VZEROUPPER
	RET

// func squaresEight(h1s, h2s *uint64, n int, seed, first, second uint64)
TEXT ·squaresEight(SB), NOSPLIT, $0-48
	MOVQ         h1s+0(FP), SI
	MOVQ         h2s+8(FP), DI
	MOVQ         n+16(FP), CX
	VPBROADCASTQ seed+24(FP), Z6
	VPBROADCASTQ first+32(FP), Z16
	VPBROADCASTQ second+40(FP), Z17
	FACTORS8
	MOVQ         $0x52dce729, R8
	VPBROADCASTQ R8, Z7
	MOVQ         $0x38495ab5, R8
	VPBROADCASTQ R8, Z8
	CONSTANTS8
	XORQ         AX, AX

squares8:
	VPMULLQ (SI)(AX*8), Z9, Z0
	VPMULLQ (DI)(AX*8), Z10, Z1
	VPROLQ  $31, Z0, Z0
	VPROLQ  $33, Z1, Z1
	VPMULLQ Z10, Z0, Z0
	VPMULLQ Z9, Z1, Z1
	VPXORQ  Z6, Z0, Z0
	VPXORQ  Z6, Z1, Z1
	VPROLQ  $27, Z0, Z0
	VPROLQ  $31, Z1, Z1
	VPADDQ  Z6, Z0, Z0
	VPSLLQ  $2, Z0, Z4
	VPADDQ  Z4, Z0, Z0
	VPADDQ  Z7, Z0, Z0
	VPADDQ  Z0, Z1, Z1
	VPSLLQ  $2, Z1, Z4
	VPADDQ  Z4, Z1, Z1
	VPADDQ  Z8, Z1, Z1
	VPXORQ  Z16, Z0, Z0
	VPXORQ  Z17, Z1, Z1
	FINISH8
	ADDQ    $8, AX
	CMPQ    AX, CX
	JB      squares8
	VZEROUPPER
	RET

// func wordsEight(h1s, h2s, vs *uint64, n int, start uint64)
TEXT ·wordsEight(SB), NOSPLIT, $0-40
	MOVQ         h1s+0(FP), SI
	MOVQ         h2s+8(FP), DI
	MOVQ         vs+16(FP), DX
	MOVQ         n+24(FP), CX
	VPBROADCASTQ start+32(FP), Z6
	FACTORS8
	CONSTANTS8
	XORQ         AX, AX

words8:
	VPMULLQ (DX)(AX*8), Z9, Z0
	VPROLQ  $31, Z0, Z0
	VPMULLQ Z10, Z0, Z0
	VPXORQ  Z6, Z0, Z0
	VPADDQ  Z6, Z0, Z0
	VPADDQ  Z6, Z0, Z1
	MIX8(Z0, Z1)
	WRITE8
	ADDQ    $8, AX
	CMPQ    AX, CX
	JB      words8
	VZEROUPPER
	RET
