#include "core/readers/file_body.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/family/family.h"
#include "core/family/lookup_kinds.h"
#include "core/row/cell.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kEmptyObject = "{}";

bool IsPythonBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

// A member's rank in the usual order.
using Rank = std::tuple<int, std::int64_t>;

Rank RankOf(const ReaderStore& store, const BodyMember& member) {
  if (store.body != BodyKind::kBuckets) return {0, PythonInt(member.name).value_or(-1)};
  const auto bucket = ParseBucket(member.name);
  if (!bucket) return {2, 0};
  return {bucket->at_most ? 0 : 1, bucket->bound};
}

// The usual order: M ascending, or M_LEQ ascending, M_GEQ ascending, any.
bool IsUsualOrder(const ReaderStore& store, const std::vector<BodyMember>& members) {
  return std::ranges::is_sorted(members, {},
                                [&](const BodyMember& member) { return RankOf(store, member); });
}

class BodyReader {
 public:
  BodyReader(const ReaderStore& store, std::string_view op) : store_(store), op_(op) {}

  Result<FileBody> Read(std::string_view bytes) {
    if (store_.body == BodyKind::kWhole) return ReadWhole(bytes);
    auto members = JsonMembers(bytes);
    if (!members.ok()) {
      const bool json = members.error().code != "bad_json";
      return Error{json ? members.error().code : "no_json", members.error().detail};
    }
    std::vector<std::string> twice;
    const std::vector<JsonMember> dict = AsDict(*std::move(members), &twice);
    for (const std::string& name : twice) Twice(name);
    if (Status status = TakeBounds(dict); !status.ok()) return status.error();
    for (const JsonMember& member : dict) {
      if (Status status = Take(member); !status.ok()) return status.error();
    }
    // Skipped members count, because their file is not an empty object.
    if (taken_ == 0) {
      body_.members.push_back({"", std::string(kEmptyObject), std::nullopt, bounds_});
      Say("", "empty_object", "the file has no config, so the engine uses its default", false);
    }
    if (!IsUsualOrder(store_, body_.members)) {
      std::int64_t place = 0;
      for (BodyMember& member : body_.members) member.place = place++;
    }
    return std::move(body_);
  }

 private:
  Result<FileBody> ReadWhole(std::string_view bytes) {
    Scratch scratch;
    const auto cell = CanonicalCell(store_.family->columns[store_.config], bytes, scratch);
    if (!cell.ok()) {
      const bool json = cell.error().code != "bad_json";
      return Error{json ? cell.error().code : "no_json", cell.error().detail};
    }
    body_.members.push_back({"", std::string(*cell), std::nullopt});
    return std::move(body_);
  }

  // Reads M_BOUNDS: the bounds that AITER tries in this file.
  Status TakeBounds(const std::vector<JsonMember>& dict) {
    const auto said = std::ranges::find(dict, kBoundsMember, &JsonMember::name);
    if (store_.bounds == kNoColumn || said == dict.end()) return Ok();
    bounds_ = BoundsInJson(WithoutBlanks(said->value));
    if (!bounds_.empty() && bounds_.size() <= kMaxNameBytes) return Ok();
    return Error{"bad_bounds", fmt::format("member '{}': {}", kBoundsMember,
                                           bounds_.empty() ? BadBounds(said->value)
                                                           : fmt::format("is larger than {} bytes",
                                                                         kMaxNameBytes))};
  }

  void Say(const std::string& member, const char* code, std::string detail, bool aside) {
    body_.issues.push_back({member, code, std::move(detail), aside});
  }

  void Twice(const std::string& name) {
    Say(name, "duplicate_member",
        "the member occurs twice; the hub takes the last value, and puts it at the first place",
        true);
  }

  Status Take(const JsonMember& member) {
    const auto file = std::ranges::find(store_.file_members, member.name, &FileMember::name);
    if (file != store_.file_members.end()) return TakeFileMember(*file, member);
    if (!bounds_.empty() && member.name == kBoundsMember) return Ok();
    ++taken_;
    return store_.body == BodyKind::kBuckets ? TakeBucket(member) : TakeM(member);
  }

  Status TakeFileMember(const FileMember& file, const JsonMember& member) {
    if (file.column.empty()) {
      return Error{"file_member", fmt::format("member '{}': {}", file.name, file.why)};
    }
    const auto value = SureJson(member.value);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    Scratch scratch;
    std::string made_with = file.prefix + text;
    if (CanonicalCell(store_.family->columns[store_.family->Find(file.column)], made_with, scratch)
            .ok()) {
      body_.made_with = std::move(made_with);
    }
    Say(file.name, "file_member",
        fmt::format("{}: the hub keeps this member with the rows, but does not write it ({})",
                    Excerpt(text), file.why),
        false);
    return Ok();
  }

  Status TakeM(const JsonMember& member) {
    const auto m = PythonInt(member.name);
    if (!m) {
      return Error{
          "bad_m",
          fmt::format(
              "member '{}': expected an integer; the engine raises an error for the whole file",
              Excerpt(member.name))};
    }
    const Column& column = store_.family->columns[store_.member];
    if (*m < column.min || *m > column.max) {
      return Error{"bad_m", fmt::format("member '{}': expected a number from {} to {}",
                                        Excerpt(member.name), column.min, column.max)};
    }
    std::string name = std::to_string(*m);
    if (name != member.name) {
      Say(member.name, "odd_m", fmt::format("the hub reads and writes this member as {}", name),
          false);
    }
    AddConfig(member, std::move(name));
    return Ok();
  }

  Status TakeBucket(const JsonMember& member) {
    const auto bucket = ParseBucket(member.name);
    if (!bucket && member.name != kAnyBucket) {
      body_.other_schema = body_.other_schema || member.value.starts_with('{');
      Say(member.name, "unknown_member", "expected M_LEQ_ or M_GEQ_ with a number, or any", true);
      return Ok();
    }
    if (!store_.family->lookup.AsksFor(op_, member.name, bounds_)) {
      Say(member.name, "never_selected",
          fmt::format("no lookup of {} uses the bound {}", op_.empty() ? "the op" : op_,
                      bucket->bound),
          true);
      return Ok();
    }
    const bool kept = IsEnumValue(store_.family->columns[store_.member], member.name);
    body_.other_schema = body_.other_schema || !kept || HoldsNested(member.value);
    if (kept) {
      AddConfig(member, member.name);
    } else {
      Say(member.name, "unknown_bound", "the hub has no bucket with this bound", true);
    }
    return Ok();
  }

  void AddConfig(const JsonMember& member, std::string name) {
    if (!member.value.starts_with('{')) {
      Say(member.name, "not_an_object",
          fmt::format("'{}': expected an object", Excerpt(member.value)), true);
      return;
    }
    std::vector<std::string> twice;
    std::string config = Dict(member.value, twice);
    for (const std::string& field : twice) {
      Say(member.name, "twice_in_config",
          fmt::format("'{}' occurs twice; the last value counts", Excerpt(field)), false);
    }
    const auto compact = CompactJsonObject(config);
    if (!compact.ok() || compact->size() > kMaxFieldBytes || HoldsControl(*compact)) {
      Say(member.name, "bad_config",
          compact.ok()
              ? fmt::format("contains a control character or more than {} bytes", kMaxFieldBytes)
              : compact.error().detail,
          true);
      return;
    }
    const auto [it, is_new] = places_.try_emplace(name, body_.members.size());
    if (is_new) {
      body_.members.push_back({std::move(name), *compact, std::nullopt, bounds_});
      return;
    }
    Twice(member.name);
    body_.members[it->second].config = *compact;
  }

  // True if a config has nested values, which no kernel accepts as arguments.
  static bool HoldsNested(std::string_view config) {
    const auto members = JsonMembers(config);
    return members.ok() && std::ranges::any_of(*members, [](const JsonMember& it) {
             return it.value.starts_with('{') || it.value.starts_with('[');
           });
  }

  // Returns an object's text with each member once, also in nested objects.
  static std::string Dict(std::string_view value, std::vector<std::string>& twice) {
    if (!value.starts_with('{')) return std::string(value);
    const auto members = JsonMembers(value);
    if (!members.ok()) return std::string(value);
    std::string out = "{";
    for (const JsonMember& member : AsDict(*members, &twice)) {
      if (out.size() > 1) out += ",";
      out += nlohmann::json(member.name).dump() + ":" + Dict(member.value, twice);
    }
    return out + "}";
  }

  const ReaderStore& store_;
  const std::string_view op_;
  std::string bounds_;  // from M_BOUNDS; "": the file has none
  FileBody body_;
  std::unordered_map<std::string, std::size_t> places_;  // indices of the members, by name
  std::size_t taken_ = 0;                                // without file members and bounds
};

// Sorts a file's members for writing. The order matters: the first member wins a tie in a lookup.
void PutInOrder(const ReaderStore& store, std::vector<BodyMember>& members) {
  const bool placed =
      std::ranges::all_of(members, [](const auto& it) { return it.place.has_value(); });
  std::ranges::stable_sort(members, {}, [&](const BodyMember& member) {
    return std::tuple(placed ? *member.place : 0, RankOf(store, member));
  });
}

// Returns M_BOUNDS for a file of these members: all bounds of the files that they come from, so
// that the lookup finds each member. Returns "" if all files have the family's bounds.
std::string BoundsMember(const ReaderStore& store, const std::vector<BodyMember>& members) {
  std::set<std::int64_t> all;
  bool usual = true;
  for (const BodyMember& member : members) {
    const auto own = ParseBounds(member.bounds);  // empty if a client's bounds are invalid
    const auto& bounds = own.empty() ? store.family->lookup.bounds : own;
    all.insert(bounds.begin(), bounds.end());
    usual = usual && own.empty();
  }
  if (usual) return "";
  return fmt::format("\"{}\":[{}]", kBoundsMember, fmt::join(all, ","));
}

}  // namespace

Result<FileBody> ReadBody(const ReaderStore& store, std::string_view bytes, std::string_view op) {
  return BodyReader(store, op).Read(bytes);
}

BodyMember MemberOf(const ReaderStore& store, const Cells& cells) {
  BodyMember member{"", std::string(cells[store.config]), {}};
  if (store.member != kNoColumn) member.name = cells[store.member];
  if (store.place != kNoColumn) member.place = ParseInt64(cells[store.place]);
  if (store.bounds != kNoColumn) member.bounds = cells[store.bounds];
  return member;
}

std::string WriteBody(const ReaderStore& store, std::vector<BodyMember> members) {
  if (store.body == BodyKind::kWhole && !members.empty()) {
    return IndentedJson(members.front().config, store.indent) + "\n";
  }
  const std::string bounds = BoundsMember(store, members);
  std::erase_if(members, [](const BodyMember& member) { return member.name.empty(); });
  PutInOrder(store, members);
  std::string json = "{" + bounds;
  for (const BodyMember& member : members) {
    if (json.size() > 1) json += ",";
    json += nlohmann::json(member.name).dump() + ":" + member.config;
  }
  return IndentedJson(json + "}", store.indent) + "\n";
}

std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice) {
  std::vector<JsonMember> dict;
  std::unordered_map<std::string, std::size_t> places;
  for (JsonMember& member : members) {
    const auto [it, is_new] = places.try_emplace(member.name, dict.size());
    if (is_new) {
      dict.push_back(std::move(member));
      continue;
    }
    if (twice != nullptr) twice->push_back(member.name);
    dict[it->second].value = member.value;
  }
  return dict;
}

std::optional<std::int64_t> PythonInt(std::string_view text) {
  while (!text.empty() && IsPythonBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsPythonBlank(text.back())) text.remove_suffix(1);
  std::string digits;
  if (text.starts_with('-')) digits = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = text[i] == '_' && i > 0 && i + 1 < text.size() && IsDigit(text[i - 1]) &&
                       IsDigit(text[i + 1]);
    if (joins) continue;
    if (!IsDigit(text[i])) return std::nullopt;
    digits.push_back(text[i]);
  }
  return NumberFrom<std::int64_t>(digits);
}

}  // namespace tunehub::core
