#include "server/service/analysis/row_digests.h"

#include <cstddef>

namespace tunehub::service {
namespace {

constexpr std::size_t kAtOnce = 64 * 1024;  // bytes

std::string_view BytesOf(const core::Hash128& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

// A digest of any number of rows, of which few are in its memory.
class Rows {
 public:
  void Add(const TunedRow& row) {
    text_ += row.line;
    text_ +=
        {'\n', static_cast<char>(row.standing), row.baseline ? '1' : '0', row.trusted ? '1' : '0'};
    if (text_.size() >= kAtOnce) text_ = BytesOf(Digest());
  }
  core::Hash128 Digest() const { return core::HashOf(text_); }

 private:
  std::string text_;  // the digest of what is digested already, and what follows
};

}  // namespace

RowDigests::RowDigests(const FamilySnapshot& snapshot) {
  std::map<std::string_view, Rows> rows;
  for (const auto& row : snapshot.rows) {
    if (row->by_default()) rows[row->gfx].Add(*row);
  }
  for (const auto& [gfx, of] : rows) by_gfx_.emplace(gfx, of.Digest());
}

core::Hash128 RowDigests::Of(std::string_view gfx) const {
  std::string text;
  for (std::string_view part : {gfx, std::string_view()}) {
    const auto found = by_gfx_.find(part);
    text += found == by_gfx_.end() ? "-" : BytesOf(found->second);
  }
  return core::HashOf(text);
}

}  // namespace tunehub::service
