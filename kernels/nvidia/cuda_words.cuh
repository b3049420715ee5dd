// The few CUDA keywords that these kernels use, for clang without CUDA's headers.
#pragma once

#ifndef __NVCC__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif

#define TK_DEVICE static __device__ __forceinline__
#define TK_METHOD __device__ __forceinline__
