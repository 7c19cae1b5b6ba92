#include "textflag.h"

// func prefetch(lines []uintptr)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ lines_base+0(FP), SI
	MOVQ lines_len+8(FP), CX
	LEAQ (SI)(CX*8), DX
	JMP  test

next:
	MOVQ       (SI), AX
	PREFETCHT1 (AX)
	ADDQ       $8, SI

test:
	CMPQ SI, DX
	JCS  next
	RET
