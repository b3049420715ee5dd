// The micro-kernels for x86-64-v3.
#define TK_ISA isa_v3
#define TK_LANES 8
#define TK_TABLE kTableV3
#include "kernels/cpu/micro_kernels.h"
