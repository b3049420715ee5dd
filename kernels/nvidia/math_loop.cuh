// A multiplying warpgroup's work on a piece: it sums 64 rows in registers. They are rows of the
// output, or columns if the tile is transposed.
#pragma once

#include "kernels/nvidia/pipeline.cuh"

namespace tunehub::kernels::nvidia {

// Gives the stage back to the copying warpgroup. If lanes have read scales, each lane signals for
// itself. This costs nothing, and compute-sanitizer's racecheck needs it: the tool does not know
// that one lane can signal for its warp.
TK_DEVICE void Release(const Ring& ring) {
  if (!kBlockScales && ThreadIndex() % 32 != 0) return;
  Arrive(ring.empty());
  if constexpr (kCluster == 2) ArriveAt(ring.empty(), ClusterRank() ^ 1);
}

template <typename Value, int kCount>
TK_DEVICE void PinAll(Value (&sums)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) Pin(sums[i]);
}

// The two warpgroups take turns on the tensor cores. Otherwise both would wait for the same stage,
// multiply together and scale together, while the tensor cores are idle.
constexpr bool kInTurn = kBlockScales && kLayout.math_groups() == 2 && !kTransposed;
constexpr int kTurnBarrier = 4, kBothGroups = 2 * kWarpgroup;

TK_DEVICE void BeginTurns(int group) {
  if (kInTurn && group == 1) ArriveNamed(kTurnBarrier, kBothGroups);
}
TK_DEVICE void AwaitTurn(int group) {
  if constexpr (kInTurn) SyncNamed(kTurnBarrier + group, kBothGroups);
}
TK_DEVICE void GiveTurn(int group) {
  if constexpr (kInTurn) ArriveNamed(kTurnBarrier + (group ^ 1), kBothGroups);
}

// Multiplies 64 rows by all columns over the stage's 128 bytes of K. `add` 0: starts new sums.
template <int kFirst = 0, int kLast = kStepsPerRow>
TK_DEVICE void MultiplyStage(const Ring& ring, int group, int wave, int add, Sum (&sums)[kSums]) {
  const unsigned tall = kTransposed ? ring.w() : ring.a(), wide = kTransposed ? ring.a() : ring.w();
  const auto rows = TileDescriptor(tall + (group * kWaves + wave) * 64 * kRowBytes);
  const auto columns = TileDescriptor(wide);
#pragma unroll
  for (int step = kFirst; step < kLast; ++step) {
    Multiply::Step(sums, rows + step * kStepInDescriptor, columns + step * kStepInDescriptor,
                   step == 0 ? add : 1);
  }
}

// The addresses of a thread's scales in a stage. They are computed once for all stages, because
// each instruction between the products and their sums costs time.
struct ScalePlaces {
  unsigned tall, along;  // of the thread's first row of 64; along the columns

  TK_METHOD explicit ScalePlaces(int group) {
    const unsigned thread = static_cast<unsigned>(ThreadIndex()) % kWarpgroup, lane = thread % 32;
    const unsigned row = thread / 32 * 16 + lane / 4, waves = static_cast<unsigned>(group * kWaves);
    tall = kTransposed ? 4 * (kBlockM + waves) : 4 * (64 * waves + row);
    along = kTransposed ? 8 * (lane % 4) : 4 * kBlockM;
  }
};

// The block scales for a thread's sums: for the sums' two rows, and along the columns.
struct Scales {
  static constexpr int kAlong = kTransposed ? kWide / 4 : kWide / 64;
  float upper, lower, along[kAlong];

  TK_METHOD Scales(unsigned stage, const ScalePlaces& at, int wave) {
    if constexpr (kTransposed) {
      upper = lower = LoadShared(stage + at.tall + 4 * wave);
    } else {
      upper = LoadShared(stage + at.tall + 4 * 64 * wave);
      lower = LoadShared(stage + at.tall + 4 * (64 * wave + 8));
    }
#pragma unroll
    for (int i = 0; i < kAlong; ++i) {
      const int column = kTransposed ? 8 * (i / 2) + i % 2 : i;
      along[i] = LoadShared(stage + at.along + 4 * column);
    }
  }
  TK_METHOD float Of(int sum) const {
    return (sum % 4 < 2 ? upper : lower) * along[kTransposed ? sum / 4 * 2 + sum % 2 : sum / 32];
  }
};

// For block scales. Scales the tensor cores' sums of one block of K before adding them. Meanwhile
// the other warpgroup keeps the tensor cores busy.
TK_DEVICE void SumScaled(Ring& ring, int group, int blocks, float (&sums)[kWaves][kSums]) {
#pragma unroll
  for (int wave = 0; wave < kWaves; ++wave) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) sums[wave][i] = 0;
  }
  const ScalePlaces places(group);
  for (; blocks > 0; --blocks, ring.Next()) {
    WaitFor(ring.full(), ring.parity);
    const Ring stage = ring;
#pragma unroll
    for (int wave = 0; wave < kWaves; ++wave) {
      Sum part[kSums];
      PinAll(part);
      AwaitTurn(group);
      FenceWgmma();
      MultiplyStage<0, 2>(stage, group, wave, 0, part);
      CommitWgmma();
      MultiplyStage<2, 4>(stage, group, wave, 0, part);
      CommitWgmma();
      const Scales scales(stage.scales(), places, wave);
      WaitWgmma<1>();
      GiveTurn(group);  // the other group starts its products while the last of these run
      WaitWgmma<0>();
      PinAll(part);
      if (wave == kWaves - 1) Release(stage);
#pragma unroll
      for (int i = 0; i < kSums; ++i) {
        sums[wave][i] = __builtin_fmaf(static_cast<float>(part[i]), scales.Of(i), sums[wave][i]);
      }
      PinAll(sums[wave]);  // otherwise the next products need additional registers
    }
  }
}

// For no scales, or for scales that can be applied at the end: the tensor cores add up all of K. A
// stage is released when the next stage's products are running.
TK_DEVICE void SumAll(Ring& ring, int group, int blocks, Sum (&sums)[kWaves][kSums]) {
  Ring done = ring;
  for (int block = 0; block < blocks; ++block, ring.Next()) {
    WaitFor(ring.full(), ring.parity);
#pragma unroll
    for (int wave = 0; wave < kWaves; ++wave) PinAll(sums[wave]);
    FenceWgmma();
#pragma unroll
    for (int wave = 0; wave < kWaves; ++wave) {
      MultiplyStage(ring, group, wave, block == 0 ? 0 : 1, sums[wave]);
    }
    CommitWgmma();
    WaitWgmma<1>();
    if (block > 0) {
      Release(done);
      done.Next();
    }
  }
  WaitWgmma<0>();
#pragma unroll
  for (int wave = 0; wave < kWaves; ++wave) PinAll(sums[wave]);
  Release(done);
}

// Does the same as SumAll, but also keeps float32 sums in addition to the tensor cores' sums.
TK_DEVICE void SumPromoted(Ring& ring, int group, int blocks, float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[i] = 0;
  Ring done = ring;
  while (blocks > 0) {
    const int count = blocks < kPromotedBlocks ? blocks : kPromotedBlocks;
    blocks -= count;
    Sum part[kSums];
    for (int block = 0; block < count; ++block, ring.Next()) {
      WaitFor(ring.full(), ring.parity);
      PinAll(part);
      FenceWgmma();
      MultiplyStage(ring, group, 0, block == 0 ? 0 : 1, part);
      CommitWgmma();
      WaitWgmma<1>();
      if (block == 0) continue;
      Release(done);
      done.Next();
    }
    WaitWgmma<0>();
    PinAll(part);
    Release(done);
    done.Next();
#pragma unroll
    for (int i = 0; i < kSums; ++i) sums[i] += static_cast<float>(part[i]);
  }
}

}  // namespace tunehub::kernels::nvidia
