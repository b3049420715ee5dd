// An engine's log. It may be cut into pieces at any place, as a followed log is. The results must
// be the same.
#include "core/misses/miss_log.h"
#include "tests/fuzz/target.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {
namespace {

struct Heard {
  std::vector<std::string> shapes;
  std::uint64_t lines, misses, unread, unnamed;

  bool operator==(const Heard&) const = default;
};

// All inputs share a MissLog, because making one is slow: it parses all families' templates. Its
// counts add up over inputs, equally in each MissLog.
Heard Read(core::MissLog& misses, std::string_view log, std::size_t piece) {
  for (std::size_t begin = 0; begin < log.size(); begin += piece)
    misses.Feed(log.substr(begin, piece));
  misses.Finish();
  const core::MissCounts& counts = misses.counts();
  Heard heard{{}, counts.lines, counts.misses, counts.unread, counts.unnamed};
  for (const core::MissShape& shape : misses.Take()) {
    std::string text = shape.family->name + " x" + std::to_string(shape.count);
    for (const std::string& cell : shape.cells) text += "," + cell;
    heard.shapes.push_back(std::move(text));
  }
  return heard;
}

void ReadBothWays(std::string_view log, core::MissLog& whole, core::MissLog& pieces) {
  const Heard heard = Read(whole, log, log.size() + 1);
  Hold(heard == Read(pieces, log, 7), "pieces of a log say what the whole says");
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view log = fuzz::TextOf(data, size);
  const core::Families& families = test::ShippedFamilies();
  static core::MissLog misses(families, {}), misses_in_pieces(families, {});
  static core::MissLog hits(families, {.hits = true}), hits_in_pieces(families, {.hits = true});
  fuzz::ReadBothWays(log, misses, misses_in_pieces);
  fuzz::ReadBothWays(log, hits, hits_in_pieces);
  return 0;
}
