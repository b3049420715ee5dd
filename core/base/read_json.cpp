#include "core/base/read_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/json_object.h"
#include "core/base/text.h"

namespace tunehub::core {

bool NestsTooDeep(std::string_view json, int most) {
  int depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = EndOfJsonString(json, at) - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::size_t EndOfJsonString(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.size();
}

template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min, std::int64_t max) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost);
  if (fits && value.template get<std::int64_t>() >= min &&
      value.template get<std::int64_t>() <= max)
    return value.template get<std::int64_t>();
  constexpr int kOutOfRange = 401;  // the library's number of an index out of range
  const std::string text(Excerpt(value.is_structured() ? value.type_name() : value.dump()));
  throw Json::out_of_range::create(
      kOutOfRange, fmt::format("{} is no whole number within {}..{}", text, min, max), nullptr);
}

template std::int64_t SureInteger(const nlohmann::json&, std::int64_t, std::int64_t);
template std::int64_t SureInteger(const nlohmann::ordered_json&, std::int64_t, std::int64_t);

namespace {

using nlohmann::json;

// No text of ours nests as deep; a text of brackets alone would fill the memory with places.
constexpr std::size_t kMaxDepth = 64;
constexpr int kNumberOverflow = 406;  // nlohmann's number of that error

struct Overflow {
  std::string pointer, number;
};

// Follows the place that a parser is at.
class PlaceFinder : public nlohmann::json_sax<json> {
 public:
  bool null() override { return Value(); }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t) override { return Value(); }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }
  bool start_object(std::size_t) override { return Open(false); }
  bool start_array(std::size_t) override { return Open(true); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    open_.back().name = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    if (error.id == kNumberOverflow) {
      overflow_ = Overflow{Pointer(), std::string(Excerpt(token))};
    }
    return false;
  }

  const std::optional<Overflow>& overflow() const { return overflow_; }

 private:
  struct Level {
    bool is_array;
    std::size_t index = 0;  // of the item that is read
    std::string name = {};  // of the member that is read
  };

  bool Open(bool is_array) {
    open_.push_back({is_array});
    return open_.size() <= kMaxDepth;
  }
  bool Close() {
    open_.pop_back();
    return Value();
  }
  bool Value() {
    if (!open_.empty()) ++open_.back().index;
    return true;
  }
  std::string Pointer() const {
    std::string pointer;
    for (const Level& level : open_) {
      pointer +=
          "/" + (level.is_array ? std::to_string(level.index) : EscapedForPointer(level.name));
    }
    return pointer;
  }

  std::vector<Level> open_;
  std::optional<Overflow> overflow_;
};

}  // namespace

std::optional<Error> FindOverflow(std::string_view text) {
  PlaceFinder finder;
  json::sax_parse(text, &finder);
  if (!finder.overflow()) return std::nullopt;
  const auto& [pointer, number] = *finder.overflow();
  return Error{"bad_json",
               fmt::format("{}{} is out of range", pointer.empty() ? "" : pointer + ": ", number),
               {.member = pointer}};
}

template <typename Json>
Json ReadJsonAs(std::string_view text) {
  if (NestsTooDeep(text, kMostReadNesting) || HoldsZero(text))
    return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

template <typename Json>
Json SureJsonAs(std::string_view text) {
  const bool has_zero = HoldsZero(text);
  if (!has_zero && !NestsTooDeep(text, kMostReadNesting)) return Json::parse(text);
  constexpr int kParseError = 101;  // the library's number of "unexpected token"
  const std::string why =
      has_zero ? "a byte is zero"
               : fmt::format("more than {} brackets stand within each other", kMostReadNesting);
  throw Json::parse_error::create(kParseError, text.size(), why, nullptr);
}

template nlohmann::json ReadJsonAs(std::string_view);
template nlohmann::ordered_json ReadJsonAs(std::string_view);
template nlohmann::json SureJsonAs(std::string_view);
template nlohmann::ordered_json SureJsonAs(std::string_view);

nlohmann::json ReadJson(std::string_view text) {
  return ReadJsonAs<nlohmann::json>(text);
}

nlohmann::json SureJson(std::string_view text) {
  return SureJsonAs<nlohmann::json>(text);
}

}  // namespace tunehub::core
