#include "server/ingest/stage_store.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <pqxx/tablewriter>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/aside.h"
#include "core/base/hash128.h"
#include "core/base/hex.h"
#include "server/db/failures.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Such a row is held against earlier ones of its candidate, in the batch's own name.
bool Objects(const StagedRow& staged) {
  const core::Standing standing = staged.row.standing;
  return (standing > core::Standing::kMeasured && standing <= core::Standing::kFailed) ||
         std::isinf(staged.row.us);
}

// What batches of one group may not share: then each finds the registry as it would alone.
class Taken {
 public:
  // False, and nothing is taken, where something of the batch is taken already.
  bool Take(const BatchRequest& request) {
    if (batches_ == kMostGrouped) return false;
    if (batches_ > 0 && rows_ + request.rows->size() > kMostGroupedRows) return false;
    const auto& write = request.write;
    std::optional<std::pair<std::string, std::string>> once;
    if (write.idempotency_key) once.emplace(write.owner, *write.idempotency_key);
    if (once && once_.contains(*once)) return false;
    const auto taken = [&](const auto& staged) { return keys_.contains(staged.row.key.bytes); };
    if (batches_ > 0 && std::ranges::any_of(*request.rows, taken)) return false;
    for (const auto& staged : *request.rows) keys_.insert(staged.row.key.bytes);
    if (once) once_.insert(*std::move(once));
    ++batches_;
    rows_ += request.rows->size();
    return true;
  }

 private:
  std::size_t batches_ = 0, rows_ = 0;
  std::set<decltype(core::Hash128::bytes)> keys_;
  std::set<std::pair<std::string, std::string>> once_;  // owner, idempotency key
};

}  // namespace

bool MayGoTogether(const BatchRequest& request) {
  return request.kind == "results" && request.run && !request.write.dry_run && !request.supersede &&
         request.families.size() == 1 && !request.rows->empty() &&
         request.rows->size() <= kMostGroupedRows && std::ranges::none_of(*request.rows, Objects);
}

struct BatchLines::Place {
  explicit Place(const BatchRequest& batch) : request(batch) {}

  const BatchRequest& request;
  bool leads = false, done = false;
  GroupAnswer answer;
  std::exception_ptr failure;
  std::condition_variable turn;
};

// The first, and those behind it that share nothing with it nor with each other.
std::vector<BatchLines::Place*> BatchLines::TakeGroup(Line& line) {
  std::vector<Place*> group, left;
  Taken taken;
  for (Place* place : line.places) (taken.Take(place->request) ? group : left).push_back(place);
  line.places = std::move(left);
  return group;
}

void BatchLines::Commit(const std::vector<Place*>& group, const GroupCommit& commit) {
  try {
    std::vector<const BatchRequest*> requests;
    for (const Place* place : group) requests.push_back(&place->request);
    auto answers = commit(requests);
    for (std::size_t i = 0; i < group.size(); ++i) group[i]->answer = std::move(answers[i]);
  } catch (const Unavailable&) {
    for (Place* place : group) place->failure = std::current_exception();
  } catch (const std::exception& error) {
    if (group.size() == 1)
      group.front()->failure = std::current_exception();
    else
      spdlog::warn("{} batches go one by one, since they fail together: {}", group.size(),
                   error.what());
  }
}

// With the lock held, as all that follows but for Lead: the next one leads, if there is one.
void BatchLines::PassOn(Line& line) {
  line.led = !line.places.empty();
  if (!line.led) return;
  line.places.front()->leads = true;
  line.places.front()->turn.notify_one();
}

std::vector<BatchLines::Place*> BatchLines::Begin(Line& line, Place& own) {
  const std::lock_guard lock(mutex_);
  try {
    return TakeGroup(line);
  } catch (...) {  // no memory
    std::erase(line.places, &own);
    PassOn(line);
    throw;
  }
}

void BatchLines::Lead(Line& line, Place& own, const GroupCommit& commit) {
  const auto group = Begin(line, own);
  Commit(group, commit);
  const std::lock_guard lock(mutex_);
  PassOn(line);
  for (Place* place : group) {
    place->done = true;
    place->turn.notify_one();  // under the lock: a place is gone with its thread's wait
  }
}

void BatchLines::Await(Place& own) {
  const core::Aside aside;  // ends after the lock
  std::unique_lock lock(mutex_);
  own.turn.wait(lock, [&] { return own.leads || own.done; });
}

GroupAnswer BatchLines::Join(const BatchRequest& request, const GroupCommit& commit) {
  Place own(request);
  Line* line = nullptr;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    line = &lines_[request.families.begin()->first];
    line->places.push_back(&own);
    first = !line->led;
    if (first) line->led = own.leads = true;
  }
  if (!first) Await(own);
  if (own.leads) Lead(*line, own, commit);
  if (own.failure) std::rethrow_exception(own.failure);
  return std::move(own.answer);
}

std::size_t BatchLines::waiting() const {
  const std::lock_guard lock(mutex_);
  std::size_t places = 0;
  for (const auto& [family, line] : lines_) places += line.places.size();
  return places;
}

namespace {

// Rows go in pieces of this size, formatted here: three times the rate of libpqxx's stream_to,
// which converts field by field and sends row by row. Hence its older tablewriter, whose raw line
// may as well be many lines.
constexpr std::size_t kPieceBytes = 64 * 1024;
// Of the columns that joins and their conditions use: all of them take three times as long.
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
      .OptionalText(staged.evidence);
}

}  // namespace

StagedBatch::StagedBatch(pqxx::work& transaction, const std::vector<StagedPart>& parts,
                         const std::map<std::int16_t, int>& versions)
    : transaction_(transaction) {
  transaction.exec(sql::stage_tables);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // see kPieceBytes
  pqxx::tablewriter writer(transaction, "stage");
#pragma GCC diagnostic pop
  std::string piece;
  piece.reserve(kPieceBytes + 8192);
  for (const StagedPart& part : parts) {
    rows_ += part.rows.size();
    std::int64_t id = part.first_id;
    for (const StagedRow& row : part.rows) {
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

void StagedBatch::Analyse() {
  if (!analysed_ && rows_ >= kAnalyseFrom) transaction_.exec(kAnalyse);
  analysed_ = true;
}

}  // namespace tunehub::server
