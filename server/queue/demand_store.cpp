#include "server/queue/demand_store.h"

#include <fmt/format.h>

#include <ranges>

#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

DemandRecord ReadDemandRow(const pqxx::row& row) {
  DemandRecord record;
  record.id = core::ParseUuid(row["id"].as<std::string>());
  record.family = row["family"].as<std::int16_t>();
  record.gfx = row["gfx"].as<std::string>();
  record.cu_num = row["cu_num"].as<int>();
  record.shape = row["shape"].as<std::string>();
  record.count = row["count"].as<std::int64_t>();
  record.first_seen = ReadTime(row["first_seen"]);
  record.last_seen = ReadTime(row["last_seen"]);
  return record;
}

std::vector<DemandRecord> ReadRows(const pqxx::result& result) {
  std::vector<DemandRecord> records;
  for (const auto& row : result) records.push_back(ReadDemandRow(row));
  return records;
}

template <typename Range>
std::string DemandRows(const Range& demand) {
  RowsParameter rows;
  for (const DemandRow& row : demand) {
    rows.Add({{"id", row.id.Uuid()},
              {"family", row.family},
              {"cu_num", row.cu_num},
              {"gfx", row.gfx},
              {"count", row.count}},
             "shape", row.shape);
  }
  return rows.Text();
}

}  // namespace

core::Result<WriteOutcome> DemandStore::AddDemand(
    const WriteRequest& request, const std::vector<DemandRow>& rows,
    const std::function<std::string(std::size_t)>& render) {
  return WriteOnce(pool_, "demand", request, rows.size(), [&](pqxx::work& transaction) {
    const auto added = transaction.exec_params1(sql::add_demand, DemandRows(rows), false);
    const auto is_new = added[0].as<std::size_t>();
    Audit(transaction, request, "demand", fmt::format("{} shapes, {} new", rows.size(), is_new));
    return render(is_new);
  });
}

std::vector<DemandRecord> DemandStore::ListDemand(const DemandFilter& filter) {
  std::optional<std::int64_t> count;
  std::optional<std::string> id;
  if (filter.after) {
    count = filter.after->count;
    id = filter.after->id.Uuid();
  }
  return ReadRows(Query(pool_, sql::list_demand, filter.family, filter.gfx, filter.cu_num, count,
                        id, static_cast<std::int64_t>(filter.limit)));
}

std::string DemandStore::NewestDemand(const std::string& gfx, int cu_num) {
  return Query(pool_, sql::newest_demand, gfx, cu_num)[0][0].as<std::string>();
}

std::vector<DemandRecord> DemandStore::ReadOpen(const std::string& gfx,
                                                const std::vector<DemandSource>& families,
                                                std::size_t limit) {
  std::vector<std::int16_t> ids;
  std::vector<int> cu_nums;
  for (const DemandSource& it : families) {
    ids.push_back(it.family);
    cu_nums.push_back(it.cu_num);
  }
  return ReadRows(
      Query(pool_, sql::read_open_demand, gfx, fmt::format("{{{}}}", fmt::join(ids, ",")),
            fmt::format("{{{}}}", fmt::join(cu_nums, ",")), static_cast<std::int64_t>(limit)));
}

void DemandStore::Mark(const DemandMarks& marks, std::int64_t known) {
  if (marks.empty()) return;
  const auto [ids, jobs] = MarkParameters(marks);
  Query(pool_, sql::mark_demand, ids, jobs, known);
}

std::vector<DemandRecord> DemandStore::ReadAny(const core::Target& target, std::size_t limit,
                                               DemandPlace& place) {
  const auto found = Query(pool_, sql::read_any_demand, target.gfx, target.cu_num, place.seen,
                           place.id.Uuid(), static_cast<std::int64_t>(limit));
  auto records = ReadRows(found);
  if (records.size() == limit)
    place = {found.back()["place"].as<std::string>(), records.back().id};
  else if (!records.empty())
    place = {found.back()["lately"].as<std::string>(), {}};
  return records;
}

void DemandStore::Copy(const std::map<core::Hash128, DemandRow>& rows) {
  if (!rows.empty()) Query(pool_, sql::add_demand, DemandRows(rows | std::views::values), true);
}

std::vector<DemandRecord> DemandStore::ReadDemand(std::int16_t family, const std::string& gfx,
                                                  int cu_num) {
  return ReadRows(Query(pool_, sql::read_demand, family, gfx, cu_num));
}

}  // namespace tunehub::server
