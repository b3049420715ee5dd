// Short vectors, in a form that both g++ and clang accept.
#pragma once

namespace tunehub::kernels::amd {

// 16 bytes of a row: 8 values of bf16, or 16 of int8 or fp8.
typedef int Chunk __attribute__((vector_size(16)));

template <typename T, int count>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * count)));
};
template <typename T, int count>
using Vector = typename VectorOf<T, count>::type;

}  // namespace tunehub::kernels::amd
