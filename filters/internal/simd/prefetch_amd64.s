#include "textflag.h"

// func lines(base unsafe.Pointer, offsets *uint32, n int)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVQ base+0(FP), AX
	MOVQ offsets+8(FP), BX
	MOVQ n+16(FP), CX
	LEAQ (BX)(CX*4), DX

loop:
	MOVL       (BX), SI
	PREFETCHT0 (AX)(SI*1)
	ADDQ       $4, BX
	CMPQ       BX, DX
	JB         loop
	RET
