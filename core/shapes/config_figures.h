// The members of a config.json, each asked for by the names it has in different architectures. What
// is missing or wrong is remembered, all of it, for one message.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace tunehub::core {

class ConfigFigures {
 public:
  // `config` must outlive it.
  explicit ConfigFigures(const nlohmann::json& config) : config_(config) {}

  bool Has(const char* member) const;
  std::int64_t Required(std::initializer_list<const char*> names);  // above 0
  std::int64_t Optional(std::initializer_list<const char*> names, std::int64_t fallback);
  bool Flag(const char* name) const;
  std::string Text(std::initializer_list<const char*> names, const char* fallback) const;
  const nlohmann::json* List(const char* name) const;  // null: none, or it is empty
  void Complain(const std::string& what) { wrong_ += (wrong_.empty() ? "" : "; ") + what; }
  // "" where everything was there.
  std::string Complaint() const;

 private:
  std::int64_t Natural(const char* name);

  const nlohmann::json& config_;
  std::string missing_, wrong_;
};

}  // namespace tunehub::core
