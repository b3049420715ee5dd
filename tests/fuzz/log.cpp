// An engine's log. It is read the same wherever it is cut into pieces, as a log that is followed
// is.
#include "core/misses/miss_log.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/oracle.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {
namespace {

struct Heard {
  std::vector<std::string> shapes;
  std::uint64_t lines, misses, unread, unnamed;

  bool operator==(const Heard&) const = default;
};

Heard Read(std::string_view log, std::size_t piece, bool hits) {
  core::MissLog misses(test::ShippedFamilies(), {.hits = hits});
  for (std::size_t begin = 0; begin < log.size(); begin += piece)
    misses.Feed(log.substr(begin, piece));
  misses.Finish();
  const core::MissCounts& counts = misses.counts();
  Heard heard{{}, counts.lines, counts.misses, counts.unread, counts.unnamed};
  for (const core::MissShape& shape : misses.Shapes()) {
    std::string text = shape.family->name + " x" + std::to_string(shape.count);
    for (const std::string& cell : shape.cells) text += "," + cell;
    heard.shapes.push_back(std::move(text));
  }
  return heard;
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub::fuzz;
  const std::string_view log = TextOf(data, size);
  for (const bool hits : {false, true}) {
    const Heard whole = Read(log, log.size() + 1, hits);
    Hold(whole == Read(log, 7, hits), "pieces of a log say what the whole says");
  }
  return 0;
}
