// One function for each PTX instruction that CUDA C++ lacks. Addresses of shared memory have 32
// bits, as in the instructions.
#pragma once

#include "kernels/nvidia/cuda_words.cuh"

namespace tunehub::kernels::nvidia {

TK_DEVICE int ThreadIndex() {
  int value;
  asm("mov.u32 %0, %%tid.x;" : "=r"(value));
  return value;
}
TK_DEVICE int BlockIndex() {
  int value;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(value));
  return value;
}
TK_DEVICE int BlockCount() {
  int value;
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(value));
  return value;
}
TK_DEVICE int ClusterRank() {
  int value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  return value;
}

TK_DEVICE unsigned SharedAddress(const void* at) {
  unsigned address;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(address) : "l"(at));
  return address;
}

TK_DEVICE void SyncBlock() {
  asm volatile("bar.sync 0;" ::: "memory");
}
TK_DEVICE void SyncNamed(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
TK_DEVICE void ArriveNamed(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
TK_DEVICE void SyncCluster() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// --- mbarriers

TK_DEVICE void InitBarrier(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
// Makes new barriers visible to the copy engine and to the cluster's other block.
TK_DEVICE void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}
TK_DEVICE void ArriveExpecting(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
TK_DEVICE void Arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives at the barrier at the same address in block `rank` of the cluster. The release covers
// only this block: a release to the cluster would wait for memory, half a microsecond each time.
// The other block only needs to know that reads are finished.
TK_DEVICE void ArriveAt(unsigned barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
// Arrives when all copies that this thread has started are complete.
TK_DEVICE void ArriveWhenCopied(unsigned barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
TK_DEVICE void WaitFor(unsigned barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\nbra WAIT;\nDONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// --- copies

TK_DEVICE void PrefetchMap(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// A position in a batch of matrices.
struct At {
  int column, row, batch;
};
// Copies a box of a matrix to shared memory. Writes zeros for elements outside of the matrix.
TK_DEVICE void LoadBox(unsigned to, const void* map, unsigned barrier, At at) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(at.column), "r"(at.row), "r"(at.batch)
      : "memory");
}
// Does the same for both blocks of a pair, at the same address. Each block's barrier completes.
TK_DEVICE void LoadBoxForBoth(unsigned to, const void* map, unsigned barrier, At at) {
  constexpr unsigned short kBoth = 3;
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(map), "r"(barrier), "r"(at.column), "r"(at.row), "r"(at.batch), "h"(kBoth)
      : "memory");
}
TK_DEVICE void StoreBox(const void* map, unsigned from, At at) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
      "r"(from), "r"(at.column), "r"(at.row), "r"(at.batch)
      : "memory");
}
TK_DEVICE void CommitStores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until all but `kPending` groups of stores have read their shared memory.
template <int kPending>
TK_DEVICE void WaitStoresRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
TK_DEVICE void WaitStores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// Makes the threads' writes to shared memory visible to the copy engine.
TK_DEVICE void FenceShared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Copies four bytes, or writes zero if `bytes` is 0.
TK_DEVICE void CopyWord(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}

// --- the rest

template <int kRegisters>
TK_DEVICE void GiveRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
TK_DEVICE void TakeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
TK_DEVICE float LoadShared(unsigned from) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from));
  return value;
}
// Stores four 8 x 8 matrices. A lane has two neighbours in a row, or in a column if kOfColumn.
template <bool kOfColumn>
TK_DEVICE void StoreMatrices(unsigned to, unsigned a, unsigned b, unsigned c, unsigned d) {
  if constexpr (kOfColumn) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
}
// Packs two values as bf16, the first in the lower half.
TK_DEVICE unsigned PackBf16(float first, float second) {
  unsigned packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}
TK_DEVICE void StoreSharedFour(unsigned to, float a, float b, float c, float d) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(a), "f"(b), "f"(c), "f"(d)
               : "memory");
}
// Loads from the same address in block `rank` of the cluster.
TK_DEVICE void LoadFourOf(unsigned from, int rank, float (&to)[4]) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n}"
      : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
      : "r"(from), "r"(rank)
      : "memory");
}

}  // namespace tunehub::kernels::nvidia
