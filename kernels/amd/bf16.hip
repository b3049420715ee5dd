// The GEMMs of bfloat16.
#define TK_FAMILY bf16
#define TK_SUFFIX
#define TK_ELEMENT Element::kBf16
#define TK_SCALES Scales::kNone

#include "kernels/amd/instances.h"

#include "kernels/amd/table/bf16.inc"

TK_REDUCE(bf16, float)
