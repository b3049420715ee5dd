// The GEMMs of fp8 with scales per row and column.
#define TK_FAMILY a8w8
#define TK_SUFFIX _fp8
#define TK_ELEMENT Element::kFp8
#define TK_SCALES Scales::kRowColumn

#include "kernels/amd/instances.h"

#include "kernels/amd/table/a8w8.inc"

TK_REDUCE(a8w8_fp8, float)
