#include "agent/commands/capture/capture_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

using nlohmann::ordered_json;

// What may keep a line from becoming a shape, and what to do about it.
struct Lost {
  std::uint64_t core::MissCounts::*count;
  bool named;  // by what was looked for, else it is any line
  const char* says;
  std::string core::MissCounts::*first;
};

constexpr Lost kLost[] = {
    {&core::MissCounts::unread, true, "could not be read", &core::MissCounts::first_unread},
    {&core::MissCounts::unnamed, true, "name no family (--family says whose they are)",
     &core::MissCounts::first_unnamed},
    {&core::MissCounts::dropped, true, "are of more shapes than are kept", nullptr},
    {&core::MissCounts::overlong, false, "are too long and were not looked at", nullptr},
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

void PrintLost(std::ostream& out, const core::MissCounts& counts, std::string_view what) {
  for (const Lost& lost : kLost) {
    if (counts.*lost.count == 0) continue;
    out << counts.*lost.count << ' ' << (lost.named ? what : "lines") << ' ' << lost.says;
    if (lost.first != nullptr) out << "; the first: " << counts.*lost.first;
    out << '\n';
  }
}

ordered_json CountsJson(const core::MissCounts& counts, std::string_view what) {
  return {
      {"lines", counts.lines},      {"bytes", counts.bytes},     {std::string(what), counts.misses},
      {"unread", counts.unread},    {"unnamed", counts.unnamed}, {"dropped", counts.dropped},
      {"overlong", counts.overlong}};
}

void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables) {
  for (const UntunedTable& table : tables) {
    out << table.family->name << ": " << table.shapes << " shapes, missed " << table.count
        << " times\n";
  }
  PrintLost(out, counts, "misses");
  out << counts.lines << " lines read, " << counts.misses << " misses\n";
}

ordered_json CaptureJson(const core::MissCounts& counts, std::span<const UntunedTable> tables,
                         std::span<const core::MissShape> shapes) {
  ordered_json json = CountsJson(counts, "misses");
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
