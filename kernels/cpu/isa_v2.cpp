// The micro-kernels for x86-64-v2.
#define TK_ISA isa_v2
#define TK_LANES 4
#define TK_TABLE kTableV2
#include "kernels/cpu/micro_kernels.h"
