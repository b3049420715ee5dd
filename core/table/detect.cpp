#include "core/table/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/text.h"
#include "core/row/known_kernel.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTuned = "tuned", kUntuned = "untuned", kConfigs = "configs";
constexpr std::size_t kQuotedHeaderBytes = 60;  // in an error, on one line with its reason

using Candidates = std::vector<const Family*>;
using Header = std::vector<std::string>;

bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool IsInConfigs(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash != std::string_view::npos && BaseName(path.substr(0, slash)) == kConfigs;
}

// Returns false for "tuned.csv" and "tuned_2.csv", because a tool may have written them.
bool NamesTunedTable(std::string_view name) {
  if (name.find(kUntuned) != std::string_view::npos) return false;
  const std::string_view stem = name.substr(0, name.find_last_of('.'));
  return stem.find(kTuned) != std::string_view::npos &&
         std::ranges::count_if(stem, IsLetter) > std::ssize(kTuned);
}

// The longest token in the name decides, because one family's token may contain another's.
const Family* WithTokenIn(const Families& families, std::string_view name) {
  if (name.find(kUntuned) != std::string_view::npos) return nullptr;
  const Family* found = nullptr;
  for (const auto& family : families.all()) {
    if (name.find(family->token) == std::string_view::npos) continue;
    if (found == nullptr || family->token.size() > found->token.size()) found = family.get();
  }
  return found;
}

Candidates WithSignature(const Families& families, const Header& header) {
  const auto holds = [&](const std::string& column) { return Contains(header, column); };
  Candidates fitting;
  for (const auto& family : families.all()) {
    const Signature& signature = family->signature;
    if (std::ranges::all_of(signature.has, holds) && std::ranges::none_of(signature.lacks, holds)) {
      fitting.push_back(family.get());
    }
  }
  return fitting;
}

bool IsCanonicalHeader(const Family& family, const Header& header) {
  std::size_t found = 0;
  for (const Column& column : family.columns) {
    const bool holds = Contains(header, column.name);
    if (!holds && !column.optional) return false;
    found += holds ? 1 : 0;
  }
  return found == header.size();
}

// One family's older header may equal another family's. A current header is the better match.
Candidates PreferCanonical(const Candidates& candidates, const Header& header) {
  Candidates canonical;
  std::ranges::copy_if(candidates, std::back_inserter(canonical),
                       [&](const Family* family) { return IsCanonicalHeader(*family, header); });
  return canonical.empty() ? candidates : canonical;
}

// Returns the candidate with the longest prefix of the name; null if there is none or a tie.
const Family* FamilyOfKernel(const Candidates& candidates, std::string_view kernel) {
  const Family* found = nullptr;
  std::size_t longest = 0;
  for (const Family* family : candidates) {
    for (const std::string& prefix : family->signature.kernel_prefixes) {
      if (!kernel.starts_with(prefix) || prefix.size() < longest) continue;
      found = prefix.size() == longest && found != family ? nullptr : family;
      longest = prefix.size();
    }
  }
  return found;
}

std::set<std::size_t> KernelFields(const Candidates& candidates, const Header& header) {
  std::set<std::size_t> fields;
  for (const Family* family : candidates) {
    for (const std::size_t column : family->kernel_columns) {
      const auto found = std::ranges::find(header, family->columns[column].name);
      if (found != header.end()) fields.insert(static_cast<std::size_t>(found - header.begin()));
    }
  }
  return fields;
}

// Returns the candidates whose kernels the rows name. Stops at an unreadable row; the table's
// reader will report that row.
Candidates NamedByKernels(const Candidates& candidates, const Header& header, CsvReader& reader) {
  const std::set<std::size_t> fields = KernelFields(candidates, header);
  Candidates named;
  CsvRecord record;
  for (Result<bool> more = reader.Next(record); more.ok() && *more; more = reader.Next(record)) {
    for (const std::size_t field : fields) {
      if (field >= record.fields.size()) continue;
      const Family* family = FamilyOfKernel(candidates, UnmangledKernel(record.fields[field]));
      if (family != nullptr && std::ranges::find(named, family) == named.end()) {
        named.push_back(family);
      }
    }
  }
  return named;
}

// Removes each family with `by_kernels` if no row names one of its kernels.
Candidates WithoutUnnamed(Candidates candidates, const Header& header, std::string_view csv) {
  const auto by_kernels = [](const Family* it) { return it->signature.by_kernels; };
  if (std::ranges::none_of(candidates, by_kernels)) return candidates;
  CsvReader reader(csv);
  CsvRecord record;
  if (!reader.Next(record).ok()) return candidates;
  const Candidates named = NamedByKernels(candidates, header, reader);
  std::erase_if(candidates, [&](const Family* it) {
    return by_kernels(it) && std::ranges::find(named, it) == named.end();
  });
  return candidates;
}

template <typename Part>
std::string PartsOf(const Candidates& candidates, Part part) {
  std::set<std::string> parts;  // sorted, so that the order of the rows does not matter
  for (const Family* family : candidates) parts.insert(family->*part);
  return Joined(parts);
}

Error Ambiguous(const char* what, const Candidates& candidates) {
  return {"ambiguous_family", fmt::format("{} match several families ({}): pass --family\nOr give "
                                          "the file a name that contains one of {}",
                                          what, PartsOf(candidates, &Family::name),
                                          PartsOf(candidates, &Family::token))};
}

// Quotes the header for an error: shortened, and in ASCII because its text is not checked yet.
std::string Quoted(const Header& header) {
  std::string line;
  for (const std::string& field : header) line += (line.empty() ? "" : ",") + field;
  if (line.size() > kQuotedHeaderBytes) line = line.substr(0, kQuotedHeaderBytes) + "...";
  std::ranges::replace_if(
      line, [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + line + '"';
}

// Says what a header without a known column shows; "": nothing.
std::string_view WhyNoCsv(const Header& header) {
  struct Sign {
    std::string_view mark, says;
    bool begins;
  };
  constexpr Sign kSigns[] = {
      {";", ": its fields are separated by ';'; expected commas", false},
      {"\t", ": its fields are separated by tabs; expected commas", false},
      {"{", ": it begins like JSON; expected a CSV", true},
      {"<", ": it begins like HTML; expected a CSV. Did a login page answer the download?", true},
  };
  for (const Sign& it : kSigns) {
    const bool shows =
        it.begins ? header.front().starts_with(it.mark)
                  : header.size() == 1 && header.front().find(it.mark) != std::string::npos;
    if (shows) return it.says;
  }
  return {};
}

// The first name that occurs twice; "": none.
std::string TwiceIn(Header header) {
  std::ranges::sort(header);
  const auto twice = std::ranges::adjacent_find(header);
  return twice == header.end() ? "" : *twice;
}

Error Unknown(const Families& families, const Header& header) {
  if (const std::string twice = TwiceIn(header); !twice.empty())
    return {"unknown_family", DuplicateColumn(1, Excerpt(twice)).detail};
  std::string why(WhyNoCsv(header));
  const auto is_untuned = [&](const auto& family) { return family->untuned_columns == header; };
  if (std::ranges::any_of(families.all(), is_untuned))
    why = ": it is an untuned table; expected a tuned table";
  return {"unknown_family",
          fmt::format("the header {} matches no family{}\nknown families: {}\nPass --family, or "
                      "give the file the name of the family's tuned table",
                      Quoted(header),
                      why.empty() ? " of tuned tables; if it is one, pass --family" : why,
                      families.Names())};
}

Result<const Family*> Decide(const Candidates& candidates, const Header& header,
                             CsvReader& reader) {
  const Candidates preferred = PreferCanonical(candidates, header);
  if (preferred.size() > 1) {
    const Candidates named = NamedByKernels(preferred, header, reader);
    if (named.size() == 1) return named.front();
    return named.empty() ? Ambiguous("the header and the kernels", preferred)
                         : Ambiguous("the kernels", named);
  }
  // If the header fits one family but all kernels belong to another, the table is mislabelled.
  Candidates named = NamedByKernels(candidates, header, reader);
  if (named.empty() || std::ranges::find(named, preferred.front()) != named.end()) {
    return preferred.front();
  }
  named.push_back(preferred.front());
  return Ambiguous("the header and the kernels", named);
}

}  // namespace

Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv) {
  if (const Family* family = FamilyOfFileName(families, file_name)) return family;
  if (const std::string why = WhyForeign(families, file_name); !why.empty()) {
    return Error{"unknown_family", why + ", so the file was not read; pass --family"};
  }
  if (Status form = CheckTableForm(csv); !form.ok()) return form.error();
  CsvReader reader(csv);
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok())
    return Error{"unknown_family", status.error().detail};
  const Header header(record.fields.begin(), record.fields.end());
  const Candidates candidates = WithoutUnnamed(WithSignature(families, header), header, csv);
  if (candidates.empty()) return Unknown(families, header);
  return Decide(candidates, header, reader);
}

const Family* FamilyOfFileName(const Families& families, std::string_view path) {
  const std::string_view name = BaseName(path);
  const Family* const family = WithTokenIn(families, name);
  return family == nullptr || !IsInConfigs(path) || family->file == name ? family : nullptr;
}

std::string WhyForeign(const Families& families, std::string_view path) {
  const std::string_view name = BaseName(path);
  if (!NamesTunedTable(name) || FamilyOfFileName(families, path) != nullptr) return {};
  if (const Family* const near = WithTokenIn(families, name)) {
    return fmt::format("AITER reads only {} directly in configs/ for {}", near->file, near->name);
  }
  return "its name is a tuned table's name, but the family is unknown";
}

}  // namespace tunehub::core
