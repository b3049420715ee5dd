#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/capture/capture.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

using nlohmann::ordered_json;

// Why a line gave no shape, and what the user can do.
struct Lost {
  std::uint64_t core::MissCounts::*count;
  bool named;  // true: the count is of `what`; false: of any lines
  const char* says;
  std::string core::MissCounts::*first;
};

constexpr Lost kLost[] = {
    {&core::MissCounts::unread, true, "could not be read", &core::MissCounts::first_unread},
    {&core::MissCounts::unnamed, true, "name no family (pass it with --family)",
     &core::MissCounts::first_unnamed},
    {&core::MissCounts::misnamed, true, "name a file that no known engine reads",
     &core::MissCounts::first_misnamed},
    {&core::MissCounts::dropped, true, "were dropped: capture keeps a limited number of shapes",
     nullptr},
    {&core::MissCounts::overlong, false, "are too long and were skipped", nullptr},
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
  return counts.misses == 0 && counts.fragments > 0;
}

void PrintNoMiss(std::ostream& out, const core::MissCounts& counts) {
  if (counts.fragments + counts.unread > 0) {
    out << counts.fragments + counts.unread
        << " lines contain only a part of AITER's message, because something cut or wrapped them. "
           "Their shapes are unknown.\n";
  } else if (counts.known > 0) {
    out << counts.known
        << " lines name a row that AITER found, or a file that an engine read. This log has no "
           "miss.\n";
  } else {
    out << "This log has no AITER line about a shape. AITER logs such lines at level "
           "INFO\n(AITER_LOG_LEVEL), to standard error.\n";
  }
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
  return {{"lines", counts.lines},
          {"bytes", counts.bytes},
          {std::string(what), counts.misses},
          {"unread", counts.unread},
          {"unnamed", counts.unnamed},
          {"misnamed", counts.misnamed},
          {"dropped", counts.dropped},
          {"overlong", counts.overlong},
          {"known", counts.known},
          {"fragments", counts.fragments}};
}

void PrintFiles(std::ostream& out, std::span<const core::MissedFile> files, std::string_view says) {
  std::map<std::string, std::vector<const core::MissedFile*>> readers;
  for (const core::MissedFile& it : files) readers[it.file.reader].push_back(&it);
  for (const auto& [reader, of_reader] : readers) {
    std::uint64_t times = 0;
    for (const core::MissedFile* const it : of_reader) times += it->count;
    out << reader << ": " << of_reader.size() << (of_reader.size() == 1 ? " file " : " files ")
        << says << ", " << times << " times\n";
    for (const core::MissedFile* const it : of_reader) {
      out << "  " << it->count << " x " << it->file.path << '\n';
      PrintAsked(out, "      ", *it);
    }
  }
}

void PrintAsked(std::ostream& out, std::string_view indent, const core::MissedFile& file) {
  for (std::string_view path : file.asked) {
    if (path.ends_with(file.file.path)) path.remove_suffix(file.file.path.size());
    if (!path.empty()) out << indent << "in " << path << '\n';
  }
  if (!file.used.empty()) out << indent << "the engine read instead: " << file.used << '\n';
  if (file.file.family.empty()) out << indent << "the hub does not store files of this kind\n";
}

void PrintRemarks(std::ostream& out, std::span<const core::RemarkedLines> remarks) {
  for (const core::RemarkedLines& it : remarks) {
    out << it.reader << ": " << it.says << " (" << it.count << " x); the first: " << it.first
        << '\n';
  }
}

ordered_json RemarksJson(std::span<const core::RemarkedLines> remarks) {
  return core::Mapped(remarks, [](const core::RemarkedLines& it) -> ordered_json {
    return {{"reader", it.reader}, {"says", it.says}, {"count", it.count}, {"first", it.first}};
  });
}

ordered_json FilesJson(std::span<const core::MissedFile> files) {
  ordered_json list = ordered_json::array();
  for (const core::MissedFile& it : files) {
    ordered_json key = ordered_json::object();
    for (const auto& [name, value] : it.file.key) key[name] = value;
    list.push_back({{"reader", it.file.reader},
                    {"family", it.file.family},
                    {"path", it.file.path},
                    {"key", std::move(key)},
                    {"used", it.used.empty() ? ordered_json() : ordered_json(it.used)},
                    {"count", it.count},
                    {"asked", it.asked}});
  }
  return list;
}

void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables, const Missed& missed) {
  const auto is_of_files = [&](const core::Family& family) {
    return std::ranges::any_of(missed.files,
                               [&](const auto& it) { return it.file.family == family.name; });
  };
  for (const UntunedTable& table : tables) {
    if (is_of_files(*table.family)) continue;  // PrintFiles lists these
    out << table.family->name << ": " << table.shapes << " shapes, missed " << table.count
        << " times\n";
  }
  PrintFiles(out, missed.files, "looked for and not found");
  PrintFiles(out, missed.used, "read");
  PrintRemarks(out, missed.remarks);
  PrintLost(out, counts, "misses");
  out << counts.lines << " lines read, " << counts.misses << " misses\n";
  if (counts.misses == 0) PrintNoMiss(out, counts);
}

ordered_json CaptureJson(const core::MissCounts& counts, std::span<const UntunedTable> tables,
                         const Missed& missed) {
  ordered_json json = CountsJson(counts, "misses");
  json["families"] = ordered_json::array();
  for (const UntunedTable& table : tables) {
    json["families"].push_back({{"family", table.family->name},
                                {"file", table.family->untuned_file},
                                {"shapes", table.shapes},
                                {"count", table.count}});
  }
  json["shapes"] = ordered_json::array();
  for (const core::MissShape& shape : missed.shapes) json["shapes"].push_back(ShapeJson(shape));
  json["files"] = FilesJson(missed.files);
  json["used"] = FilesJson(missed.used);
  json["remarks"] = RemarksJson(missed.remarks);
  json["misnamed"] = core::Mapped(missed.misnamed, [](const auto& it) -> ordered_json {
    return {{"path", it.path}, {"detail", it.error.detail}, {"count", it.count}};
  });
  return json;
}

}  // namespace tunehub::agent
