#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/json_scan.h"
#include "core/family/bucket_bound.h"
#include "core/readers/file_body.h"
#include "core/readers/python_dict.h"

namespace tunehub::core {
namespace {

// Where a member stands in the usual order.
using Rank = std::tuple<int, std::int64_t>;

Rank RankOf(const ReaderStore& store, const BodyMember& member) {
  if (store.body != BodyKind::kBuckets) return {0, PythonInt(member.name).value_or(-1)};
  const auto bucket = ParseBucket(member.name);
  if (!bucket) return {2, 0};
  return {bucket->at_most ? 0 : 1, bucket->bound};
}

// Compact JSON as Python's json.dump writes it with an indent.
class Indented {
 public:
  explicit Indented(int indent) : indent_(static_cast<std::size_t>(indent)) {}

  std::string Of(std::string_view json) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      const char c = json[i];
      if (c == '"') {
        const std::size_t end = EndOfJsonString(json, i);
        out_.append(json.substr(i, end - i));
        i = end - 1;
      } else if ((c == '{' || c == '[') && (json[i + 1] == '}' || json[i + 1] == ']')) {
        out_.push_back(c);
        out_.push_back(json[++i]);
      } else {
        Plain(c);
      }
    }
    return std::move(out_);
  }

 private:
  void Plain(char c) {
    if (c == '}' || c == ']') Line(--depth_);
    out_.push_back(c);
    if (c == ':') out_.push_back(' ');
    if (c == ',') Line(depth_);
    if (c == '{' || c == '[') Line(++depth_);
  }
  void Line(std::size_t depth) { out_.append(1, '\n').append(depth * indent_, ' '); }

  const std::size_t indent_;
  std::size_t depth_ = 0;
  std::string out_;
};

// M_BOUNDS of a file of these members: each that the file of one of them asks for, so that none of
// them is left unread. "": all are of files with the usual ones.
std::string BoundsMember(const ReaderStore& store, const std::vector<BodyMember>& members) {
  std::set<std::int64_t> all;
  bool usual = true;
  for (const BodyMember& member : members) {
    const auto own = ParseBounds(member.bounds);  // somebody's row may say what is none
    const auto& bounds = own.empty() ? store.family->lookup.bounds : own;
    all.insert(bounds.begin(), bounds.end());
    usual = usual && own.empty();
  }
  if (usual) return "";
  return fmt::format("\"{}\":[{}]", kBoundsMember, fmt::join(all, ","));
}

}  // namespace

bool IsUsualOrder(const ReaderStore& store, std::span<const BodyMember> members) {
  return std::ranges::is_sorted(members, {},
                                [&](const BodyMember& member) { return RankOf(store, member); });
}

void PutInOrder(const ReaderStore& store, std::vector<BodyMember>& members) {
  const bool placed =
      std::ranges::all_of(members, [](const auto& it) { return it.place.has_value(); });
  std::ranges::stable_sort(members, {}, [&](const BodyMember& member) {
    return std::tuple(placed ? *member.place : 0, RankOf(store, member));
  });
}

std::string WriteBody(const ReaderStore& store, std::vector<BodyMember> members) {
  if (store.body == BodyKind::kWhole && !members.empty()) {
    return Indented(store.indent).Of(members.front().config) + "\n";
  }
  const std::string bounds = BoundsMember(store, members);
  std::erase_if(members, [](const BodyMember& member) { return member.name.empty(); });
  PutInOrder(store, members);
  std::string json = "{" + bounds;
  for (const BodyMember& member : members) {
    if (json.size() > 1) json += ",";
    json += nlohmann::json(member.name).dump() + ":" + member.config;
  }
  return Indented(store.indent).Of(json + "}") + "\n";
}

}  // namespace tunehub::core
