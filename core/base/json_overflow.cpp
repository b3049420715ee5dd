#include "core/base/json_overflow.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/excerpt.h"
#include "core/base/json_object.h"

namespace tunehub::core {
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

}  // namespace tunehub::core
