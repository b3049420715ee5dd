#include "core/readers/tunable_file.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMostDigits = 3;  // the digits of a GPU's number
constexpr std::string_view kSlash = "%2F", kPercent = "%25";

std::string EscapedPart(std::string_view text) {
  std::string out;
  for (const char& c : text) {
    out += c == '/' ? kSlash : c == '%' ? kPercent : std::string_view(&c, 1);
  }
  return out;
}

std::string UnescapedPart(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool slash = text.starts_with(kSlash);
    const bool escaped = slash || text.starts_with(kPercent);
    out += escaped ? (slash ? '/' : '%') : text.front();
    text.remove_prefix(escaped ? kSlash.size() : 1);
  }
  return out;
}

bool IsFileName(std::string_view name) {
  const std::size_t at = kTunableFileName.find(kGpuNumber);
  const std::string_view head = kTunableFileName.substr(0, at);
  const std::string_view tail = kTunableFileName.substr(at + kGpuNumber.size());
  if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) {
    return false;
  }
  const std::string_view number = name.substr(head.size(), name.size() - head.size() - tail.size());
  return number == kGpuNumber ||
         (number.size() <= kMostDigits && std::ranges::all_of(number, IsDigit));
}

Error BadName(std::size_t part, std::string_view text, const std::string& why) {
  return {"bad_file_name", "part " + std::to_string(part) + " '" + std::string(text) + "': " + why};
}

constexpr std::string_view kValidator = "Validator";
constexpr std::size_t kNamed = 3, kTimed = 4;  // fields up to the solution, up to the time

// Returns the rest of the line after its first `fields` fields, with commas.
std::string_view Behind(std::string_view line, std::size_t fields) {
  for (std::size_t i = 0; i < fields; ++i) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    line.remove_prefix(comma + 1);
  }
  return line;
}

class FileReader {
 public:
  void Add(std::string_view line) {
    ++line_;
    if (!line.empty() && line.back() == '\r') {
      if (!returns_) {
        Issue("carriage_return",
              "the line ends with a carriage return, which PyTorch takes as a part of the last "
              "field (only the first of these lines is listed)");
      }
      returns_ = true;
    }
    const auto fields = TunableFields(line);
    if (fields.empty()) return;
    if (fields[0] == kValidator) {
      AddValidator(fields, line.back() == '\r');
    } else if (fields.size() < kNamed || fields[2].starts_with(kBlasParams)) {
      AddUntuned(line);
    } else {
      AddRow(line, fields);
    }
  }

  TunableFile Finish() {
    line_ = 0;
    if (!file_.validators.contains(std::string(kPtVersion))) {
      Refuse("the line Validator,PT_VERSION,VERSION is missing");
    }
    if (refused_) file_.rows.clear();
    return std::move(file_);
  }

 private:
  void Issue(std::string code, std::string detail) {
    file_.issues.push_back({line_, std::move(code), std::move(detail)});
  }
  void Refuse(const std::string& why) {
    refused_ = true;
    Issue("refused_file", "PyTorch ignores this file: " + why);
  }

  void AddValidator(const std::vector<std::string_view>& fields, bool with_return) {
    if (fields.size() < kNamed)
      return Issue("bad_validator", "expected a name and a value of the validator");
    const std::string name(fields[1]), value(fields[2]);
    if (with_return && fields.size() == kNamed) {
      return Refuse("the value of " + name + " ends with a carriage return");
    }
    if (const std::string why = WhyNoValidator(name, value); !why.empty()) {
      return Refuse("validator '" + name + "' " + why);
    }
    const auto [place, added] = file_.validators.try_emplace(name, value);
    if (!added)
      Issue("repeated_validator", name + " occurs twice; PyTorch takes the last value, " + value);
    place->second = value;
  }

  void AddUntuned(std::string_view line) {
    auto shape = ReadUntunedLine(line);
    if (!shape) return Issue("not_a_row", "expected an operator, parameters and a solution");
    Issue("untuned_line", shape->op + "," + shape->params + " has no solution");
    file_.untuned.push_back(*std::move(shape));
  }

  void AddRow(std::string_view line, const std::vector<std::string_view>& fields) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    TunableRow row{{std::string(fields[0]), std::string(fields[1])},
                   std::string(fields[2]),
                   fields.size() < kTimed ? "" : std::string(fields[3]),
                   std::string(Behind(line, kTimed)),
                   line_};
    if (const std::string why = WhyNotAsked(row.shape); !why.empty()) {
      return Issue("not_asked", why);
    }
    std::string why = WhyNoSolution(row.solution);
    if (why.empty()) why = WhyNoBlasParams(row.blas_params);
    if (!why.empty()) return Issue("bad_solution", why);
    if (!seen_.insert(row.shape).second) {
      return Issue("repeated_row", row.shape.op + "," + row.shape.params +
                                       " occurs twice; PyTorch uses the first row");
    }
    if (!row.ms.empty() && MicrosecondsOf(std::string_view(row.ms)).empty()) {
      Issue("bad_time",
            "'" + row.ms + "': expected a time above 0; the hub takes the row without a time");
      row.ms.clear();
    }
    if (IsPattern(row.shape)) {
      Issue("pattern", row.shape.params +
                           " is a pattern for many sizes; the hub serves the row unchanged, but "
                           "not as a measurement");
    }
    file_.rows.push_back(std::move(row));
  }

  TunableFile file_;
  std::set<TunableShape> seen_;
  std::size_t line_ = 0;
  bool returns_ = false, refused_ = false;
};

}  // namespace

std::string TunableFileName(std::string_view name, int device) {
  std::string text(name);
  const std::string number = std::to_string(device);
  if (const std::size_t at = text.find(kGpuNumber); at != std::string::npos) {
    return text.replace(at, kGpuNumber.size(), number);
  }
  return text.insert(std::min(text.rfind('.'), text.size()), number);
}

std::string TunablePathOf(const TunablePlace& place) {
  const std::string folder = place.device.empty() ? "" : EscapedPart(place.device) + "/";
  return folder + EscapedPart(place.validators) + "/" + std::string(kTunableFileName);
}

Result<TunablePlace> ParseTunablePath(std::string_view path) {
  const std::vector<std::string_view> parts = SplitAt(path, "/");
  if (parts.size() < 2 || parts.size() > 3) {
    return BadName(1, path, "expected [DEVICE/]VALIDATORS/" + std::string(kTunableFileName));
  }
  const std::size_t last = parts.size() - 1;
  if (!IsFileName(parts[last])) {
    return BadName(last + 1, parts[last], "expected " + std::string(kTunableFileName));
  }
  const auto validators = ParseValidators(UnescapedPart(parts[last - 1]));
  if (!validators.ok()) return BadName(last, parts[last - 1], validators.error().detail);
  TunablePlace place{"", ValidatorsText(*validators)};
  if (last < 2) return place;
  if (parts[0].empty()) return BadName(1, parts[0], "leave out the folder of an unnamed device");
  place.device = UnescapedPart(parts[0]);
  return place;
}

TunableFile ReadTunableFile(std::string_view bytes) {
  FileReader reader;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    reader.Add(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return reader.Finish();
}

std::string MicrosecondsOf(const TunableRow& row) {
  return IsPattern(row.shape) ? "" : MicrosecondsOf(std::string_view(row.ms));
}

std::string WriteTunableFile(const Validators& validators, const std::vector<TunableRow>& rows) {
  std::string text;
  for (const auto& [name, value] : validators) {
    text += std::string(kValidator) + "," + name + "," + value + "\n";
  }
  for (const TunableRow& row : rows) {
    text += row.shape.op + "," + row.shape.params + "," + row.solution;
    if (!row.ms.empty() || !row.blas_params.empty()) text += "," + row.ms;
    if (!row.blas_params.empty()) text += "," + row.blas_params;
    text += "\n";
  }
  return text;
}

}  // namespace tunehub::core
