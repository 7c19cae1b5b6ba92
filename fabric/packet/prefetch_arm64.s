#include "textflag.h"

// func prefetch(lines []uintptr)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVD lines_base+0(FP), R0
	MOVD lines_len+8(FP), R1
	ADD  R1<<3, R0, R1
	B    test

next:
	MOVD.P 8(R0), R2
	PRFM   (R2), PLDL2KEEP

test:
	CMP R1, R0
	BLO next
	RET
