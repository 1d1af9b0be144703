#include "textflag.h"

// func lines(base unsafe.Pointer, offsets *uint32, n int)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVD base+0(FP), R0
	MOVD offsets+8(FP), R1
	MOVD n+16(FP), R2

loop:
	MOVWU.P 4(R1), R3
	ADD     R0, R3, R3
	PRFM    (R3), PLDL1KEEP
	SUBS    $1, R2, R2
	BNE     loop
	RET
