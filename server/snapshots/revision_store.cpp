// Reads revisions: their heads, their rows, and the list of revisions.
#include "server/snapshots/revision_store.h"

#include <fmt/core.h>

#include <map>

#include "core/base/text.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

core::Result<core::Pin> FindIn(pqxx::transaction_base& transaction, const core::Pin& revision) {
  const auto heads = transaction.exec_params1(sql::read_heads, revision.number);
  const core::Pin now = {revision.number, ReadToken(heads["known"])};
  if (now.has_token() && (!revision.has_token() || revision == now)) return now;
  const auto newest = heads["revision"].as<std::int64_t>();
  if (!revision.has_token()) {
    return core::Error{"unknown_revision", fmt::format("unknown revision {}; expected 0 to {}",
                                                       revision.number, newest)};
  }
  return core::Error{
      "revision_gone",
      fmt::format("revision {} no longer exists; {}. The hub was restored or lost commits after "
                  "that revision, or the revision belongs to another hub",
                  revision.Text(),
                  now.has_token() ? fmt::format("its number now belongs to {}", now.Text())
                                  : fmt::format("the newest revision is {}", newest))};
}

// Errors: those of FindIn.
core::Result<PastHead> ReadHeadIn(pqxx::transaction_base& transaction, std::int16_t family,
                                  const core::Pin& revision) {
  auto found = FindIn(transaction, revision);
  if (!found.ok()) return found.error();
  PastHead past;
  past.revision = *std::move(found);
  const auto head = transaction.exec_params(sql::read_past_head, family, revision.number);
  if (head.empty()) return past;
  past.family_revision = ReadPin(head[0][0], head[0][1]);
  past.family_version = head[0][2].as<int>();
  past.body_sha256 = head[0][3].as<std::string>();
  return past;
}

// Reads the seven columns with which each query of rows begins.
TunedRecord ReadRow(const pqxx::row& row) {
  TunedRecord record{std::make_shared<TunedRow>(), row[5].as<int>(0), !row[4].is_null()};
  record.row->key = core::ParseUuid(row[0].as<std::string>());
  record.row->provider = static_cast<Provider>(row[1].as<int>());
  if (!record.served) return record;
  record.row->standing = static_cast<core::Standing>(row[2].as<int>());
  record.row->baseline = row[3].as<bool>();
  record.row->line = row[4].as<std::string>();
  record.row->trusted = row[6].as<bool>();
  return record;
}

std::vector<TunedRecord> ReadPastRows(const pqxx::result& found) {
  return core::Mapped(found, ReadRow);
}

// Reads a revision without its families.
RevisionRecord ReadRecord(const pqxx::row& row) {
  return {ReadPin(row[0], row[4]),
          row[1].as<std::string>(),
          row[2].as<std::string>(),
          row[3].as<std::string>(),
          {}};
}

Heads ReadHeadsIn(pqxx::transaction_base& transaction, std::int64_t known) {
  Heads heads;
  const auto registry = transaction.exec_params1(sql::read_heads, known);
  heads.revision = ReadPin(registry["revision"], registry["token"]);
  heads.origin.token = ReadToken(registry["origin"]);
  heads.known = ReadToken(registry["known"]);
  for (const auto& row : transaction.exec(sql::read_family_heads)) {
    const auto family = row[0].as<std::int16_t>();
    heads.evidence[family] = ReadPin(row[1], row[2]);
    if (!row[3].is_null()) heads.families[family] = ReadPin(row[3], row[4]);
  }
  return heads;
}

SnapshotDelta ReadDeltaIn(pqxx::transaction_base& transaction, const Heads& heads,
                          std::int16_t family, std::int64_t after_change) {
  SnapshotDelta delta;
  delta.family_revision = heads.Of(family);
  delta.change = after_change;
  for (const auto& row :
       transaction.exec_params("SELECT version FROM family WHERE id = $1", family))
    delta.family_version = row[0].as<int>();
  const auto rows = after_change == 0
                        ? transaction.exec_params(sql::read_tuned, family)
                        : transaction.exec_params(sql::read_changed, family, after_change);
  delta.rows.reserve(rows.size());
  for (const auto& row : rows) {
    TunedRow& tuned = *delta.rows.emplace_back(ReadRow(row)).row;
    delta.change = std::max(delta.change, row[7].as<std::int64_t>());
    tuned.order = ReadBytes(row[8]);
    tuned.gfx = row[9].as<std::string>();
    tuned.cu_num = row[10].as<int>();
    tuned.us = ReadDouble(row[11]);
  }
  return delta;
}

}  // namespace

core::Result<core::Pin> RevisionStore::Find(const core::Pin& revision) const {
  return pool_.With([&](pqxx::connection& connection) {
    pqxx::nontransaction transaction(connection);
    return FindIn(transaction, revision);
  });
}

core::Result<PastTable> RevisionStore::ReadPast(std::int16_t family, const core::Pin& revision) {
  return pool_.With([&](pqxx::connection& connection) -> core::Result<PastTable> {
    Snapshot transaction(connection);
    auto head = ReadHeadIn(transaction, family, revision);
    if (!head.ok()) return head.error();
    PastTable past{*std::move(head), {}};
    if (past.family_revision.number == 0) return past;
    past.rows = ReadPastRows(transaction.exec_params(sql::read_past, family, revision.number));
    return past;
  });
}

std::optional<PastHead> RevisionStore::FindLastOf(std::int16_t family, const std::string& sha256) {
  const auto found = Query(pool_, sql::read_version_head, family, sha256);
  if (found.empty()) return std::nullopt;
  return PastHead{ReadPin(found[0][0], found[0][1]), {}, found[0][2].as<int>(), ""};
}

core::Result<std::optional<PastTable>> RevisionStore::ReadPast(std::int16_t family,
                                                               const core::Pin& revision,
                                                               const PastKeys& keys) {
  using Answer = core::Result<std::optional<PastTable>>;
  return pool_.With([&](pqxx::connection& connection) -> Answer {
    Snapshot transaction(connection);
    auto head = ReadHeadIn(transaction, family, revision);
    if (!head.ok()) return head.error();
    PastTable past{*std::move(head), {}};
    if (past.family_revision.number == 0) return std::optional(std::move(past));
    const auto listed = transaction.exec_params1(sql::read_heads, keys.of.number);
    if (ReadToken(listed["known"]) != keys.of.token) return std::optional<PastTable>();
    const auto others = transaction.exec_params(sql::read_other_keys, family, keys.after_change,
                                                static_cast<std::int64_t>(keys.most_others) + 1);
    if (static_cast<std::size_t>(others.size()) > keys.most_others)
      return std::optional<PastTable>();
    std::string list;
    const auto add = [&](const std::string& uuid) { list += (list.empty() ? "{" : ",") + uuid; };
    for (const core::Hash128& key : keys.keys) add(key.Uuid());
    for (const auto& row : others) add(row[0].as<std::string>());
    if (list.empty()) return std::optional(std::move(past));
    past.rows = ReadPastRows(
        transaction.exec_params(sql::read_past_of_keys, family, revision.number, list + "}"));
    return std::optional(std::move(past));
  });
}

core::Result<PastHead> RevisionStore::ReadPastHead(std::int16_t family, const core::Pin& revision) {
  return pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    return ReadHeadIn(transaction, family, revision);
  });
}

void RevisionStore::StoreBodyDigest(std::int16_t family, const core::Pin& revision,
                                    const std::string& sha256) {
  Query(pool_, sql::store_body_digest, family, revision.number, revision.token, sha256);
}

std::vector<RevisionRecord> RevisionStore::List(std::int64_t before_number,
                                                std::size_t limit) const {
  return pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    std::vector<RevisionRecord> revisions;
    std::map<std::int64_t, std::size_t> places;
    const auto rows = transaction.exec_params(
        sql::list_revisions, before_number, std::optional<int>(), static_cast<std::int64_t>(limit));
    for (const auto& row : rows) {
      places[row[0].as<std::int64_t>()] = revisions.size();
      revisions.push_back(ReadRecord(row));
    }
    if (revisions.empty()) return revisions;
    for (const auto& row :
         transaction.exec_params(sql::list_revision_families, revisions.back().revision.number,
                                 revisions.front().revision.number)) {
      revisions[places.at(row[0].as<std::int64_t>())].families.push_back(
          {row[1].as<std::string>(), row[2].as<int>(), row[3].as<std::int64_t>(),
           row[4].as<std::string>()});
    }
    return revisions;
  });
}

std::optional<RevisionRecord> RevisionStore::FindOfDaysAgo(int days) const {
  const auto rows =
      Query(pool_, sql::list_revisions, std::optional<std::int64_t>(), days, std::int64_t{1});
  if (rows.empty()) return std::nullopt;
  return ReadRecord(rows[0]);
}

void RevisionStore::AtOneMoment(
    std::int64_t known,
    const std::function<void(const Heads& heads, const ReadDelta& read)>& visit) {
  pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    const Heads heads = ReadHeadsIn(transaction, known);
    visit(heads, [&](std::int16_t family, std::int64_t after_change) {
      return ReadDeltaIn(transaction, heads, family, after_change);
    });
  });
}

Heads RevisionStore::ReadHeads(std::int64_t known) const {
  return pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    return ReadHeadsIn(transaction, known);
  });
}

}  // namespace tunehub::server
