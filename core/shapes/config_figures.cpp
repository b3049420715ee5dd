#include "core/shapes/config_figures.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"

namespace tunehub::core {
namespace {

// Larger than any dimension of a model, small enough that no product of two overflows.
constexpr std::int64_t kMaxFigure = 100'000'000;

}  // namespace

bool ConfigFigures::Has(const char* member) const {
  return config_.contains(member) && !config_[member].is_null();
}

std::int64_t ConfigFigures::Required(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!Has(name)) continue;
    const std::string before = wrong_;
    const std::int64_t value = Natural(name);
    if (value == 0 && wrong_ == before) Complain(fmt::format("{} must not be 0", name));
    return value;
  }
  missing_ += (missing_.empty() ? "" : ", ") + std::string(*names.begin());
  return 0;
}

std::int64_t ConfigFigures::Optional(std::initializer_list<const char*> names,
                                     std::int64_t fallback) {
  for (const char* name : names) {
    if (Has(name)) return Natural(name);
  }
  return fallback;
}

bool ConfigFigures::Flag(const char* name) const {
  return Has(name) && config_[name].is_boolean() && config_[name].get<bool>();
}

std::string ConfigFigures::Text(std::initializer_list<const char*> names,
                                const char* fallback) const {
  for (const char* name : names) {
    if (Has(name) && config_[name].is_string()) return config_[name].get<std::string>();
  }
  return fallback;
}

const nlohmann::json* ConfigFigures::List(const char* name) const {
  return Has(name) && config_[name].is_array() && !config_[name].empty() ? &config_[name] : nullptr;
}

std::string ConfigFigures::Complaint() const {
  if (missing_.empty()) return wrong_;
  return fmt::format("lacks {}{}", missing_, wrong_.empty() ? "" : "; " + wrong_);
}

std::int64_t ConfigFigures::Natural(const char* name) {
  const nlohmann::json& value = config_[name];
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= 0 && number <= kMaxFigure) return number;
  }
  Complain(fmt::format("{} must be a whole number up to {}, not {}", name, kMaxFigure,
                       Excerpt(value.dump())));
  return 0;
}

}  // namespace tunehub::core
