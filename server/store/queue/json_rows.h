// Rows as one parameter, which json_to_recordset takes apart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tunehub::store {

class JsonRows {
 public:
  // `row` is an object with members; one more is `name`, whose JSON stands there as it is: it need
  // not be parsed to be written again.
  void Add(const nlohmann::ordered_json& row, std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "[" : ",";
    text_ += row.dump();
    text_.back() = ',';
    text_.append("\"").append(name).append("\":").append(json).append("}");
  }

  std::string Text() const { return text_.empty() ? "[]" : text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace tunehub::store
