// The names of kernels/amd/builtins.h and matrix.h that device code uses, for code that a lane of
// emu::Block executes.
#pragma once

#include "kernels/amd/args.h"
#include "kernels/amd/config.h"
#include "kernels/amd/vectors.h"
#include "tests/amd/emu/block.h"

#define TK_DEVICE inline
#define TK_UNROLL

namespace tunehub::kernels::amd {

TK_DEVICE int ThreadIndex() {
  return emu::Block::Current().lane();
}
TK_DEVICE int BlockX() {
  return emu::Block::Current().index().x;
}
TK_DEVICE int BlockY() {
  return emu::Block::Current().index().y;
}
TK_DEVICE int BlockZ() {
  return emu::Block::Current().index().z;
}
TK_DEVICE int Uniform(int value) {
  return value;
}
TK_DEVICE void Barrier() {
  emu::Block::Current().Barrier();
}

struct Window {
  const char* base;
  int bytes;
};
TK_DEVICE Window MakeWindow(const void* base, int bytes) {
  return {static_cast<const char*>(base), bytes};
}

template <typename T>
TK_DEVICE T Load(const T* at) {
  emu::Block::Current().CheckGlobal(at, sizeof(T), alignof(T), emu::Access::kRead);
  return *at;
}
template <typename T>
TK_DEVICE void Store(T* at, T value) {
  emu::Block::Current().CheckGlobal(at, sizeof(T), alignof(T), emu::Access::kWrite);
  *at = value;
}
// A negative offset, or an offset beyond the window, gives zeros.
TK_DEVICE Chunk LoadChunk(const Window& window, int offset) {
  if (static_cast<unsigned>(offset) >= static_cast<unsigned>(window.bytes)) return Chunk{};
  return Load(reinterpret_cast<const Chunk*>(window.base + offset));
}

TK_DEVICE Chunk ReadShared(const char* lds, int offset) {
  emu::Block::Current().CheckShared(lds + offset, emu::Access::kRead);
  return *reinterpret_cast<const Chunk*>(lds + offset);
}
TK_DEVICE void WriteShared(char* lds, int offset, Chunk chunk) {
  emu::Block::Current().CheckShared(lds + offset, emu::Access::kWrite);
  *reinterpret_cast<Chunk*>(lds + offset) = chunk;
}

template <Spec spec, typename Sums>
TK_DEVICE void Multiply(Chunk first, Chunk second, Sums& sums) {
  static_assert(spec.element != Element::kFp8 || spec.arch != Arch::kGfx90a,
                "gfx90a cannot multiply fp8");
  emu::Block::Current().Multiply({spec.element, spec.arch, spec.config.atom}, &first, &second,
                                 &sums);
}

}  // namespace tunehub::kernels::amd
