// The machine's operations for the kernels: compiler builtins, without a ROCm header.
// tests/amd/emu/lane.h defines the same names for the emulator, so kernels compile with either
// file.
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

// Tells the compiler that the value is equal in all lanes of a wave.
TK_DEVICE int Uniform(int value) {
  return __builtin_amdgcn_readfirstlane(value);
}

// Waits for all lanes of the block. Makes each lane's writes to LDS visible to all lanes. If the
// compiler supports it, the fences cover only LDS, so that loads from memory continue.
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

// A range of memory that a lane reads in chunks. A read beyond its end returns zeros.
#if __has_builtin(__builtin_amdgcn_make_buffer_rsrc)
struct Window {
  __amdgpu_buffer_rsrc_t resource;
};
TK_DEVICE Window MakeWindow(const void* base, int bytes) {
  // 0x00020000 is DATA_FORMAT 32, which CDNA requires for a raw buffer.
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
