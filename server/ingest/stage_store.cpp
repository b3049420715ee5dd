#include "server/ingest/stage_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <pqxx/tablewriter>
#include <string_view>

#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// This file formats rows and sends them in pieces of this size. This is three times as fast as
// libpqxx's stream_to, which sends each row separately. The older pqxx::tablewriter accepts a piece
// as one raw line, although it contains many lines.
constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::string_view kReference = "\"us_reference\":";
// Analyses only the columns of joins and conditions. All columns would take three times as long.
constexpr const char* kAnalyse = "ANALYZE stage (key, candidate, family, provider, standing)";

// One row in COPY's text format: tabs between fields, \N for null, backslash escapes.
class CopyRow {
 public:
  explicit CopyRow(std::string& out) : out_(out) {}

  template <typename T>
  CopyRow& Number(T value) {
    Separate();
    std::array<char, 32> digits{};
    out_.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    return *this;
  }
  CopyRow& Double(double value) {
    if (std::isnan(value)) return Null();
    if (std::isinf(value)) return Raw(value > 0 ? "Infinity" : "-Infinity");
    return Number(value);
  }
  CopyRow& Null() { return Raw("\\N"); }
  CopyRow& Raw(std::string_view text) {
    Separate();
    out_.append(text);
    return *this;
  }
  CopyRow& Text(std::string_view text) {
    Separate();
    while (true) {
      const auto special = std::find_if(text.begin(), text.end(), IsSpecial);
      const auto plain = static_cast<std::size_t>(special - text.begin());
      out_.append(text.substr(0, plain));
      if (special == text.end()) return *this;
      out_.push_back('\\');
      out_.push_back(Escaped(*special));
      text.remove_prefix(plain + 1);
    }
  }
  CopyRow& OptionalText(std::string_view text) { return text.empty() ? Null() : Text(text); }
  CopyRow& Uuid(const core::Hash128& hash) {
    Separate();
    core::AppendHex(out_, hash.bytes.data(), hash.bytes.size());
    return *this;
  }
  CopyRow& Bytes(std::string_view bytes) {
    Separate();
    out_.append("\\\\x");
    core::AppendHex(out_, bytes.data(), bytes.size());
    return *this;
  }

 private:
  void Separate() {
    if (!first_) out_.push_back('\t');
    first_ = false;
  }
  static bool IsSpecial(char c) { return c == '\\' || c == '\t' || c == '\n' || c == '\r'; }
  static char Escaped(char special) {
    switch (special) {
      case '\t':
        return 't';
      case '\n':
        return 'n';
      case '\r':
        return 'r';
      default:
        return special;
    }
  }
  std::string& out_;
  bool first_ = true;
};

void AppendRow(std::string& out, const StagedRow& staged, std::int64_t id, int version) {
  const core::Row& row = staged.row;
  CopyRow(out)
      .Number(id)
      .Uuid(row.key)
      .Uuid(row.candidate)
      .Double(row.us)
      .Double(row.error)
      .Number(staged.family)
      .Number(version)
      .Number(static_cast<int>(staged.provider))
      .Number(static_cast<int>(row.standing))
      .Number(row.cu_num)
      .Raw(staged.best ? "0" : "1")
      .Raw(staged.alone ? "t" : "f")
      .Raw(staged.is_default ? "t" : "f")
      .Raw(staged.searched ? "t" : "f")
      .Raw(row.relative ? "t" : "f")
      .Text(row.gfx)
      .Bytes(row.order)
      .OptionalText(row.reason)
      .Text(row.line)
      .OptionalText(staged.evidence)
      .Double(row.bounds.low)
      .Double(row.bounds.high);
}

}  // namespace

StagedBatch::StagedBatch(pqxx::work& transaction, Members& of,
                         const std::map<std::int16_t, int>& versions)
    : members(of), transaction_(transaction) {
  transaction.exec(sql::stage_tables);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // see kPieceBytes
  pqxx::tablewriter writer(transaction, "stage");
#pragma GCC diagnostic pop
  std::string piece;
  piece.reserve(kPieceBytes + 8192);
  for (const Member& member : members) {
    rows_ += member.request->rows->size();
    std::int64_t id = member.outcome.first_id();
    for (const StagedRow& row : *member.request->rows) {
      has_references_ = has_references_ || row.evidence.find(kReference) != std::string::npos;
      if (!piece.empty()) piece.push_back('\n');
      AppendRow(piece, row, id++, versions.at(row.family));
      if (piece.size() < kPieceBytes) continue;
      writer.write_raw_line(piece);
      piece.clear();
    }
  }
  if (!piece.empty()) writer.write_raw_line(piece);
  writer.complete();
}

std::string StagedBatch::Runs(std::optional<int> source) const {
  nlohmann::json batches = nlohmann::json::array();
  for (const Member& it : members) {
    batches.push_back({{"batch", it.outcome.batch}, {"run", it.outcome.run}});
    if (source) batches.back()["source"] = *source;
  }
  return batches.dump();
}

void StagedBatch::Analyse() {
  if (!analysed_ && rows_ >= kAnalyseFrom) transaction_.exec(kAnalyse);
  analysed_ = true;
}

}  // namespace tunehub::server
