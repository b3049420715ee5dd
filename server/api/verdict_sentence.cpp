#include "server/api/verdict_sentence.h"

#include <fmt/core.h>

namespace tunehub::api {
namespace {

using service::Concern;

std::string Shapes(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "shape" : "shapes");
}

const char* HasOrHave(std::int64_t count) {
  return count == 1 ? "has" : "have";
}

// What of the shapes that are asked for is not as it should be.
std::string Troubles(const service::VerdictCounts& counts) {
  const std::int64_t missing = counts[Concern::kMissing], untimed = counts[Concern::kUnmeasured];
  std::string text;
  if (missing > 0)
    text = fmt::format("{} {} no row, so AITER runs its default", missing, HasOrHave(missing));
  if (untimed > 0) {
    text += fmt::format("{}{} {} a row that nobody has measured", text.empty() ? "" : "; ", untimed,
                        HasOrHave(untimed));
  }
  return text;
}

// What a build does with the rows.
std::string OfBuild(const service::Verdict& verdict) {
  if (verdict.build.empty()) {
    return " No build is named: AITER may raise at a row whose kernel it was not built with.";
  }
  std::string text = " The table has no row at which this build raises.";
  if (verdict.counts.waiting > 0) {
    text += fmt::format(" {} {} a row that has effect only after a rebuild.",
                        Shapes(verdict.counts.waiting), HasOrHave(verdict.counts.waiting));
  }
  return text;
}

}  // namespace

std::string SentenceOf(const service::Verdict& verdict, const service::VerdictQuestion& question) {
  const service::ModelRequest& model = question.model;
  const service::VerdictCounts& counts = verdict.counts;
  const std::string of = fmt::format("{} at TP {}", model.model, model.tp);
  switch (verdict.safety()) {
    case service::Safety::kNothingAsked:
      return fmt::format("Nothing to judge: {} asks for no shape of {}.", of,
                         question.engine == nullptr
                             ? "these tables"
                             : fmt::format("a table that {} reads", question.engine->title));
    case service::Safety::kNotSafe:
      return fmt::format("Not safe: of {} that {} asks for {}.{}", Shapes(counts.asked), of,
                         Troubles(counts), OfBuild(verdict));
    case service::Safety::kNobodyChecked:
      return fmt::format("Not known: each of {} that {} asks for has a measured row.{}",
                         Shapes(counts.asked), of, OfBuild(verdict));
    case service::Safety::kSafe:
      break;
  }
  return fmt::format("Safe: each of {} that {} asks for has a measured row.{}",
                     Shapes(counts.asked), of, OfBuild(verdict));
}

}  // namespace tunehub::api
