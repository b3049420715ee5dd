#include "agent/capture_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/cell.h"

namespace tunehub::agent {
namespace {

using nlohmann::ordered_json;

// What may keep a line from becoming a shape, and what to do about it.
struct Lost {
  std::uint64_t core::MissCounts::*count;
  const char* what;
  std::string core::MissCounts::*first;
};

constexpr Lost kLost[] = {
    {&core::MissCounts::unread, "misses could not be read", &core::MissCounts::first_unread},
    {&core::MissCounts::unnamed, "misses name no family (--family says whose they are)",
     &core::MissCounts::first_unnamed},
    {&core::MissCounts::dropped, "misses are of more shapes than are kept", nullptr},
    {&core::MissCounts::overlong, "lines are too long and were not looked at", nullptr},
};

ordered_json ShapeJson(const core::MissShape& shape) {
  ordered_json cells = ordered_json::object();
  for (std::size_t i = 0; i < shape.cells.size(); ++i) {
    cells[shape.family->untuned_columns[i]] = shape.cells[i];
  }
  ordered_json json = {{"family", shape.family->name}, {"gfx", nullptr}, {"cu_num", nullptr}};
  if (!shape.gfx.empty()) json["gfx"] = shape.gfx;
  if (const auto cu_num = core::ParseInt(shape.cu_num)) json["cu_num"] = *cu_num;
  json["shape"] = std::move(cells);
  json["count"] = shape.count;
  return json;
}

}  // namespace

bool HasFindings(const core::MissCounts& counts) {
  for (const Lost& lost : kLost) {
    if (counts.*lost.count > 0) return true;
  }
  return false;
}

void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables) {
  for (const UntunedTable& table : tables) {
    out << table.family->name << ": " << table.shapes << " shapes, missed " << table.count
        << " times\n";
  }
  for (const Lost& lost : kLost) {
    if (counts.*lost.count == 0) continue;
    out << counts.*lost.count << ' ' << lost.what;
    if (lost.first != nullptr) out << "; the first: " << counts.*lost.first;
    out << '\n';
  }
  out << counts.lines << " lines read, " << counts.misses << " misses\n";
}

ordered_json CaptureJson(const core::MissCounts& counts, std::span<const UntunedTable> tables,
                         std::span<const core::MissShape> shapes) {
  ordered_json json = {{"lines", counts.lines},      {"bytes", counts.bytes},
                       {"misses", counts.misses},    {"unread", counts.unread},
                       {"unnamed", counts.unnamed},  {"dropped", counts.dropped},
                       {"overlong", counts.overlong}};
  json["families"] = ordered_json::array();
  for (const UntunedTable& table : tables) {
    json["families"].push_back({{"family", table.family->name},
                                {"file", table.family->untuned_file},
                                {"shapes", table.shapes},
                                {"count", table.count}});
  }
  json["shapes"] = ordered_json::array();
  for (const core::MissShape& shape : shapes) json["shapes"].push_back(ShapeJson(shape));
  return json;
}

}  // namespace tunehub::agent
