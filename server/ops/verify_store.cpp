#include "server/ops/verify_store.h"

#include <fmt/core.h>

#include <array>
#include <chrono>

#include "core/base/text.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// not read_only, because it makes temporary tables
using Reading = pqxx::transaction<pqxx::repeatable_read>;

// The time limit of one statement. It is longer than for requests, because these statements read
// everything.
constexpr std::chrono::seconds kCheckLimit = std::chrono::hours(2);

struct NamedCheck {
  std::string_view of;
  std::string_view statement;  // returns a sentence per row
};

constexpr auto kChecks = std::to_array<NamedCheck>({
    {"tuned rows", sql::verify_winners},
    {"candidates", sql::verify_candidates},
    {"lines of candidates", sql::verify_candidate_lines},
    {"served rows", sql::verify_served},
    {"measurements", sql::verify_measurements},
    {"runs of a source's rows", sql::verify_runs_of_rows},
    {"runs", sql::verify_runs},
    {"sources", sql::verify_sources},
    {"batches", sql::verify_batches},
    {"revisions", sql::verify_revisions},
    {"history", sql::verify_intervals},
    {"changes of revisions", sql::verify_changes},
    {"definitions and builds", sql::verify_definitions},
    {"points", sql::verify_points},
});

// Chooses every tuned row again, in temporary tables.
void ChooseAgain(pqxx::transaction_base& transaction) {
  transaction.exec(sql::choice_tables);
  transaction.exec(sql::verify_tables);
  transaction.exec(sql::rebuild_candidates);
  transaction.exec("ANALYZE candidate");
  transaction.exec(sql::choose_best);
  transaction.exec("ANALYZE best");
  constexpr std::int64_t kNoBatch = 0;
  transaction.exec_params(sql::apply_best, kNoBatch, kNoBatch, "{}");
}

Check RunCheck(pqxx::transaction_base& transaction, const NamedCheck& named) {
  Check check{std::string(named.of), 0, {}};
  const auto rows = transaction.exec(
      fmt::format("SELECT says, count(*) OVER () FROM (\n{}\n) AS found (says) LIMIT {}",
                  named.statement, kMostSentences));
  for (const auto& row : rows) {
    check.sentences.push_back(row[0].as<std::string>());
    check.wrong = row[1].as<std::int64_t>();
  }
  return check;
}

}  // namespace

std::vector<Check> VerifyStore::RunChecks() {
  return pool_.With([&](pqxx::connection& connection) {
    Reading transaction(connection);  // never committed
    transaction.exec(fmt::format("SET LOCAL statement_timeout = '{}s'", kCheckLimit.count()));
    ChooseAgain(transaction);
    return core::Mapped(kChecks, [&](const NamedCheck& it) { return RunCheck(transaction, it); });
  });
}

std::vector<DigestRecord> VerifyStore::Digests() {
  return core::Mapped(Query(pool_, sql::verify_digests), [](const pqxx::row& row) {
    return DigestRecord{row[0].as<std::string>(), row[1].as<std::int16_t>(),
                        row[2].as<std::int64_t>(), row[3].as<bool>()};
  });
}

std::vector<LineRecord> VerifyStore::Lines(const std::optional<LineRecord>& last,
                                           std::size_t limit) {
  const LineRecord before = last.value_or(LineRecord{});
  std::vector<LineRecord> lines;
  for (const auto& row : Query(pool_, sql::verify_lines, before.key.Uuid(), before.run,
                               before.candidate.Uuid(), static_cast<std::int64_t>(limit))) {
    LineRecord line;
    line.id = row[0].as<std::int64_t>();
    line.key = core::ParseUuid(row[1].as<std::string>());
    line.run = row[2].as<std::int64_t>();
    line.candidate = core::ParseUuid(row[3].as<std::string>());
    line.us = ReadDouble(row[4]);
    line.error = ReadDouble(row[5]);
    line.family_version = row[6].as<int>();
    line.standing = row[7].as<int>();
    line.line = row[8].as<std::string>();
    line.error_limit = ReadOptional<double>(row[9]);
    line.family = row[10].as<std::int16_t>();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tunehub::server
