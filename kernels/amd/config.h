// The parameters of an AMD kernel's instance: a row of table/*.inc. The device's compiler also
// reads this file. So this file uses no library, and everything is constexpr.
//
// To add kernels (their speed is a guess: they have never run on AMD hardware):
// * Tiles: add a row at the end of the family's table/*.inc. Use TK_AMD_GFX950 for tiles that need
//   more than 64 KiB of LDS. IsSound fails the build if the numbers do not fit together. The
//   device's code, the catalog and the emulator read the same row.
// * An inner loop: write it in gemm.h. Use only functions that both builtins.h and
//   tests/amd/emu/lane.h define. Then tests/amd/mutants must show that the tests detect faults in
//   the loop.
// * A matrix instruction: add it to matrix.h and tests/amd/emu/matrix.cpp. Add its layout to
//   tests/amd/matrix_layout_test.cpp, from AMD's documents and not from the emulator.
// * A family: add a file of kernels, a table, its module and table in catalog.cpp, functions in
//   tests/amd/emu, and problems in tests/amd/instances_test.cpp.
// Build amd_objects and amd_tests, then run the label amd. The test requires a recorded share of
// the matrix unit. This command records it; check the figure before you commit the output:
//   tests/amd/gate --source kernels/amd --objects build/release/kernels/amd --suffix=-22 --record
// -DTUNEHUB_AMD_COMPILER=/opt/rocm/bin/amdclang++ chooses a compiler; an empty value omits the
// kernels.
#pragma once

namespace tunehub::kernels::amd {

enum class Arch { kGfx90a, kGfx942, kGfx950 };

// The layout of a tile's rows in LDS. Lanes that read a column of 16-byte chunks must use different
// banks.
enum class Lds {
  kSwizzle,  // "swz": a chunk's place is its number xor the row's number
  kPad,      // "pad": each row is one chunk longer
};

struct Config {
  int threads = 0;  // wave_m * wave_n * 64
  // elements of a block; block_k: elements of K per load
  int block_m = 0, block_n = 0, block_k = 0;
  // rows and columns of the matrix instruction: 16 or 32
  int atom = 0;
  int wave_m = 0, wave_n = 0;  // numbers of waves along block_m and block_n
  int stages = 0;              // tiles of K in LDS: 1 or 2
  Lds lds = Lds::kSwizzle;
  // number of waves that must fit: a lane may use 512 / waves_per_eu registers
  int waves_per_eu = 0;
  int group_m = 1;  // rows of tiles in a band (tile_order.h)

  constexpr bool operator==(const Config&) const = default;
};

enum class Element { kBf16, kInt8, kFp8 };  // kFp8: e4m3, fnuz on gfx942 and OCP on gfx950
enum class Scales { kNone, kRowColumn, kBlock128 };

// gfx90a has no matrix instruction for fp8.
constexpr bool Multiplies(Arch arch, Element element) {
  return arch != Arch::kGfx90a || element != Element::kFp8;
}

// All parameters of a kernel's compilation.
struct Spec {
  Config config;
  Element element = Element::kBf16;
  Scales scales = Scales::kNone;
  Arch arch = Arch::kGfx90a;
};

inline constexpr int kWave = 64;
inline constexpr int kChunk = 16;        // bytes that a lane loads at a time
inline constexpr int kScaleBlock = 128;  // elements of K, and rows of W, per scale

constexpr int BytesOf(Element element) {
  return element == Element::kBf16 ? 2 : 1;
}

constexpr int RowBytes(const Spec& spec) {
  return spec.config.block_k * BytesOf(spec.element);
}

constexpr int RowStride(const Spec& spec) {
  return RowBytes(spec) + (spec.config.lds == Lds::kPad ? kChunk : 0);
}

constexpr int LdsBytes(const Spec& spec) {
  const Config& c = spec.config;
  return c.stages * (c.block_m + c.block_n) * RowStride(spec);
}

// Bytes of LDS per compute unit.
constexpr int LdsLimit(Arch arch) {
  return arch == Arch::kGfx950 ? 160 * 1024 : 64 * 1024;
}

// True if tiles divide evenly, loads fill whole waves, and the tiles fit into LDS.
constexpr bool IsSound(const Spec& spec) {
  const Config& c = spec.config;
  const int row = RowBytes(spec);
  return c.threads == c.wave_m * c.wave_n * kWave && c.threads <= 1024 &&
         (c.atom == 16 || c.atom == 32) && c.block_m % (c.wave_m * c.atom) == 0 &&
         c.block_n % (c.wave_n * c.atom) == 0 && row % (kChunk * kWave / c.atom) == 0 &&
         (row & (row - 1)) == 0 && c.block_m * row / kChunk % kWave == 0 &&
         c.block_n * row / kChunk % kWave == 0 && (c.stages == 1 || c.stages == 2) &&
         (spec.scales != Scales::kBlock128 || c.block_k == kScaleBlock) &&
         LdsBytes(spec) <= LdsLimit(spec.arch);
}

}  // namespace tunehub::kernels::amd
