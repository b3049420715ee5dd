#include "server/webhook/notice_store.h"

#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {

std::int64_t NoticeStore::Compared() {
  const auto found = Query(pool_, sql::begin_webhook);
  // Another server began at this moment.
  return found.empty() ? Compared() : found[0][0].as<std::int64_t>();
}

void NoticeStore::Add(std::int64_t compared, std::int64_t to,
                      const std::vector<SlowerRows>& slower) {
  InTransaction(pool_, [&](pqxx::work& transaction) {
    const auto locked = transaction.exec("SELECT revision FROM webhook FOR UPDATE SKIP LOCKED");
    if (locked.empty() || locked[0][0].as<std::int64_t>() != compared) return false;
    for (const SlowerRows& it : slower) {
      transaction.exec_params0(sql::insert_slower, it.family, it.gfx, it.cu_num, it.count, compared,
                               to);
    }
    if (to != compared) transaction.exec_params0("UPDATE webhook SET revision = $1", to);
    transaction.exec0(sql::insert_notices);
    return true;
  });
}

std::optional<Notice> NoticeStore::Claim(std::chrono::milliseconds first_pause,
                                         std::chrono::milliseconds longest_pause) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    std::optional<Notice> notice;
    for (const auto& row :
         transaction.exec_params(sql::claim_notice, first_pause.count(), longest_pause.count())) {
      notice = {row[0].as<std::int64_t>(), row[1].as<std::string>(), row[2].as<std::int16_t>(),
                row[3].as<std::string>(),  row[4].as<int>(),         row[5].as<std::int64_t>(),
                row[6].as<std::string>(),  row[7].as<int>(),         ReadTime(row[8])};
    }
    return notice;
  });
}

void NoticeStore::End(std::int64_t id) {
  InTransaction(pool_, [&](pqxx::work& transaction) {
    transaction.exec_params0(sql::end_notice, id);
    return true;
  });
}

}  // namespace tunehub::server
