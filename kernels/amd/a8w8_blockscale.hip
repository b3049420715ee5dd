// The GEMMs of fp8 with scales per 1 x 128 of A and 128 x 128 of W.
#define TK_FAMILY a8w8_blockscale
#define TK_SUFFIX
#define TK_ELEMENT Element::kFp8
#define TK_SCALES Scales::kBlock128

#include "kernels/amd/instances.h"

#include "kernels/amd/table/a8w8_blockscale.inc"

TK_REDUCE(a8w8_blockscale, float)
