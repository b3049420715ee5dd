#include "agent/commands/tables/product_report.h"

#include <fmt/core.h>

#include <ostream>

#include "core/shapes/product_rule.h"

namespace tunehub::agent {
namespace {

// Empty where a product has no such figure.
std::string Figure(std::int64_t value) {
  return value == 0 ? "" : std::to_string(value);
}

std::string TakersOf(const core::Families& families, const core::ModelProduct& product,
                     bool quantized) {
  std::string names;
  for (const auto& family : families.all()) {
    if (core::RulesOf(*family, product, quantized, core::SchemeChoice::kOwn).empty()) continue;
    names += (names.empty() ? "" : " ") + family->name;
  }
  return names;
}

}  // namespace

void PrintProducts(std::ostream& out, const core::ProductPlan& plan, const core::Families& families,
                   bool quantized) {
  constexpr const char* kLine = "{:<13} {:>6}  {:<9} {:>4} {:>4} {:>4} {:>7} {:>7}  {:<9}  {}\n";
  out << fmt::format(kLine, "product", "layers", "split", "B", "E", "topk", "N", "K", "stored",
                     "families");
  for (const core::ModelProduct& it : plan.products) {
    // The width of an expert is what engines call N.
    const std::int64_t n = it.kind == core::ProductKind::kExperts ? it.width : it.n;
    out << fmt::format(kLine, it.layer, Figure(it.layers), Name(it.split), Figure(it.batch),
                       Figure(it.experts), Figure(it.topk), n, it.k, it.scheme,
                       TakersOf(families, it, quantized));
  }
}

bool PrintFindings(std::ostream& out, std::span<const core::SplitFinding> findings) {
  bool refused = false;
  for (const core::SplitFinding& it : findings) {
    out << fmt::format("{}: {} ({})\n", it.refused ? "refused" : "note", it.detail, it.code);
    refused = refused || it.refused;
  }
  return refused;
}

core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out) {
  const std::vector<core::SplitFinding> notes = core::NotesOf(model);
  if (strict && !notes.empty()) return core::Error{notes.front().code, notes.front().detail};
  PrintFindings(out, notes);
  return core::Ok();
}

}  // namespace tunehub::agent
