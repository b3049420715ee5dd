#include "server/service/ingest/shrunk_source.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

// "M=16, N=1536, K=7168": the key columns that the row fills, but for those of its target. The
// whole line where an older family file had other columns.
std::string ShapeText(const core::Family* family, const std::string& line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  if (family == nullptr || cells.size() != family->columns.size()) return line;
  for (const std::size_t column : family->key_columns) {
    const core::Role role = family->columns[column].role;
    if (role == core::Role::kTarget || cells[column].empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", family->columns[column].name,
                        cells[column]);
  }
  return text;
}

std::string KeyText(const core::Families& families, const store::GoingKey& key) {
  return fmt::format("{} {}:{} {}", key.family, key.gfx, key.cu_num,
                     ShapeText(families.Find(key.family), key.line));
}

}  // namespace

WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const store::Shrinkage& shrinkage) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const store::GoingKey& key : shrinkage.keys) keys.push_back(KeyText(families, key));
  WriteAnswer answer = Refuse(
      {"would_shrink",
       fmt::format("source '{}' has {} keys, and {} of them would go, more than a tenth; nothing "
                   "was stored; where that is meant, an admin's key says allow_shrink=1 "
                   "(tunehub-agent import --allow-shrink)",
                   core::Excerpt(source), shrinkage.held, shrinkage.going)});
  answer.refusal->members = fmt::format(R"("held":{},"going":{},"keys":{})", shrinkage.held,
                                        shrinkage.going, keys.dump());
  return answer;
}

}  // namespace tunehub::service
