// What the kernels ask of the machine, on the machine: compiler builtins only, no ROCm header. The
// emulator has the same names in tests/amd/emu/lane.h; kernels are written against either.
#pragma once

#include "kernels/amd/args.h"
#include "kernels/amd/config.h"
#include "kernels/amd/vectors.h"

#define TK_DEVICE __attribute__((device, always_inline)) inline
#define TK_SHARED __attribute__((shared))
#define TK_UNROLL _Pragma("unroll")

namespace tunehub::kernels::amd {

#if defined(__gfx90a__)
inline constexpr Arch kThisArch = Arch::kGfx90a;
#elif defined(__gfx942__)
inline constexpr Arch kThisArch = Arch::kGfx942;
#elif defined(__gfx950__)
inline constexpr Arch kThisArch = Arch::kGfx950;
#else
#error "no matrix instructions are known for this architecture"
#endif

TK_DEVICE int ThreadIndex() {
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
}
TK_DEVICE int BlockX() {
  return static_cast<int>(__builtin_amdgcn_workgroup_id_x());
}
TK_DEVICE int BlockY() {
  return static_cast<int>(__builtin_amdgcn_workgroup_id_y());
}
TK_DEVICE int BlockZ() {
  return static_cast<int>(__builtin_amdgcn_workgroup_id_z());
}

// The same in all lanes of a wave; tells the compiler so.
TK_DEVICE int Uniform(int value) {
  return __builtin_amdgcn_readfirstlane(value);
}

// All lanes of the block have come here, and see what each wrote to LDS before. The fences are for
// LDS alone where the compiler can say so: loads from memory stay in flight.
TK_DEVICE void Barrier() {
#if __clang_major__ >= 19
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#else
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
}

// Memory that is read in chunks; beyond its end there are zeros.
#if __has_builtin(__builtin_amdgcn_make_buffer_rsrc)
struct Window {
  __amdgpu_buffer_rsrc_t resource;
};
TK_DEVICE Window MakeWindow(const void* base, int bytes) {
  // 0x00020000: DATA_FORMAT 32, what CDNA wants of a raw buffer.
  return {__builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, bytes, 0x00020000)};
}
TK_DEVICE Chunk LoadChunk(const Window& window, int offset) {
  return __builtin_bit_cast(Chunk,
                            __builtin_amdgcn_raw_buffer_load_b128(window.resource, offset, 0, 0));
}
#else  // clang 15: the lanes beyond are masked off instead
struct Window {
  const char* base;
  int bytes;
};
TK_DEVICE Window MakeWindow(const void* base, int bytes) {
  return {static_cast<const char*>(base), bytes};
}
TK_DEVICE Chunk LoadChunk(const Window& window, int offset) {
  Chunk chunk = {};
  if (offset < window.bytes) {
    chunk = *(const __attribute__((address_space(1))) Chunk*)(window.base + offset);
  }
  return chunk;
}
#endif

template <typename T>
TK_DEVICE T Load(const T* at) {
  return *(const __attribute__((address_space(1))) T*)at;
}
template <typename T>
TK_DEVICE void Store(T* at, T value) {
  *(__attribute__((address_space(1))) T*)at = value;
}

TK_DEVICE Chunk ReadShared(const char* lds, int offset) {
  return *reinterpret_cast<const Chunk*>(lds + offset);
}
TK_DEVICE void WriteShared(char* lds, int offset, Chunk chunk) {
  *reinterpret_cast<Chunk*>(lds + offset) = chunk;
}

}  // namespace tunehub::kernels::amd
