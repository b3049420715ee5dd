// The batched GEMMs of bfloat16.
#define TK_FAMILY batched_bf16
#define TK_SUFFIX
#define TK_ELEMENT Element::kBf16
#define TK_SCALES Scales::kNone

#include "kernels/amd/instances.h"

#include "kernels/amd/table/batched_bf16.inc"

TK_REDUCE(batched_bf16, float)
