// The machine's operations for the kernels, made of compiler builtins without a ROCm header.
// tests/amd/emu/lane.h has the same names for the emulator; kernels compile with either file.
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

// Tells the compiler that all lanes of a wave have the same value.
TK_DEVICE int Uniform(int value) {
  return __builtin_amdgcn_readfirstlane(value);
}

// Waits for all lanes of the block, and shows each lane's writes to LDS to all lanes. If the
// compiler can say so, fences cover only LDS, so that loads from memory stay in flight.
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

// A range of memory that is read in chunks. Reads beyond its end give zeros.
#if __has_builtin(__builtin_amdgcn_make_buffer_rsrc)
struct Window {
  __amdgpu_buffer_rsrc_t resource;
};
TK_DEVICE Window MakeWindow(const void* base, int bytes) {
  // 0x00020000: DATA_FORMAT 32, which CDNA requires of a raw buffer.
  return {__builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, bytes, 0x00020000)};
}
TK_DEVICE Chunk LoadChunk(const Window& window, int offset) {
  return __builtin_bit_cast(Chunk,
                            __builtin_amdgcn_raw_buffer_load_b128(window.resource, offset, 0, 0));
}
#else  // clang 15: masks off the lanes beyond the end
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
