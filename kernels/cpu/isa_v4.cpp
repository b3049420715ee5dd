// The micro-kernels for x86-64-v4, with VNNI and BF16.
#define TK_ISA isa_v4
#define TK_LANES 16
#define TK_TABLE kTableV4
#include "kernels/cpu/micro_kernels.h"
