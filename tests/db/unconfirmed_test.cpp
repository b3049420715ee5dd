// Rows far below the other owners' times, which wait for a confirmation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "server/ingest/definition_store.h"
#include "server/ingest/revert_store.h"
#include "server/ingest/run_store.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

class Unconfirmed : public RegistryTest {
 protected:
  static inline const server::Writer kSlow{.owner = "slow"}, kFast{.owner = "fast"},
      kThird{.owner = "third"}, kAdmin{.owner = "boss", .admin = true};

  Unconfirmed() { server::DefinitionStore(registry.pool).ApplyConfirmFactor(2); }
  void TearDown() override { EXPECT_EQ(WhatDoesNotHold(registry.pool), ""); }

  server::WriteAnswer Send(const server::Writer& by, const std::vector<Line>& lines,
                           std::optional<std::int64_t> job = {}) {
    server::RunContent content;
    content.hash = core::HashOf("run " + std::to_string(++runs_));
    content.job = job;
    bool created = false;
    run = server::RunStore(registry.pool).Create(content, created, by)->id;
    return registry.Send(Csv(lines), {.run = run, .by = by});
  }

  std::int64_t run = 0;  // of the last Send

 private:
  int runs_ = 0;
};

TEST_F(Unconfirmed, a_row_far_below_anothers_waits_for_a_third_owner) {
  Send(kSlow, {{.us = "120"}});
  const auto receipt = Receipt(Send(kFast, {{.kernel = "b", .us = "49"}, {.m = 32, .us = "5"}}));
  EXPECT_EQ(receipt["unconfirmed_count"], 1);
  EXPECT_EQ(receipt["unconfirmed"][0]["row"], 2);
  EXPECT_EQ(receipt["accepted"], 1);
  EXPECT_EQ(registry.Winners(), "16 a 120 only_candidate\n32 a 5 only_candidate");
  Send(kThird, {{.kernel = "c", .us = "24"}});
  EXPECT_EQ(registry.Winners().substr(0, 8), "16 a 120")
      << "a doubtful row supports no other kernel";
  Send(kThird, {{.kernel = "b", .us = "51"}});
  EXPECT_EQ(registry.Winners().substr(0, 7), "16 b 49") << "51 is at most 5 % above 49";
}

TEST_F(Unconfirmed, only_times_beyond_the_factor_wait_and_upstreams_and_the_first_never) {
  Send(kSlow, {{.us = "100"}});
  Send(kFast, {{.kernel = "b", .us = "51"}});
  EXPECT_EQ(registry.Winners(), "16 b 51 lowest_time");
  Send(kAdmin, {{.kernel = "c", .us = "20"}});
  EXPECT_EQ(registry.Winners(), "16 c 20 lowest_time");
  Send(kSlow, {{.kernel = "d", .us = "100"}});
  EXPECT_EQ(registry.Winners(), "16 c 20 lowest_time") << "a later slow row doubts no earlier one";
}

TEST_F(Unconfirmed, an_admin_accepts_a_run_and_its_revert_takes_it_back) {
  Send(kSlow, {{.us = "100"}});
  Send(kFast, {{.kernel = "b", .us = "10"}});
  const auto tried = server::AcceptRun(registry.pool, run, kAdmin, true);
  ASSERT_TRUE(tried.ok());
  EXPECT_EQ(tried->accepted, 1U);
  EXPECT_EQ(registry.Winners(), "16 a 100 only_candidate");
  const auto accepted = server::AcceptRun(registry.pool, run, kAdmin);
  ASSERT_TRUE(accepted.ok());
  EXPECT_EQ(accepted->accepted, 1U);
  EXPECT_EQ(accepted->changed, 1U);
  EXPECT_EQ(registry.Winners(), "16 b 10 lowest_time");
  EXPECT_EQ(server::AcceptRun(registry.pool, run, kAdmin)->accepted, 0U);
  EXPECT_EQ(server::AcceptRun(registry.pool, 999, kAdmin).error().code, "unknown_run");
  ASSERT_TRUE(server::RevertRun(registry.pool, run, kAdmin, false, true).ok());
  EXPECT_EQ(registry.Winners(), "16 a 100 only_candidate");
  EXPECT_EQ(server::AcceptRun(registry.pool, run, kAdmin).error().code, "already_reverted");
}

TEST_F(Unconfirmed, the_factor_of_the_server_that_started_last_counts) {
  Send(kSlow, {{.us = "100"}});
  Send(kFast, {{.kernel = "b", .us = "30"}});
  EXPECT_EQ(registry.Winners(), "16 a 100 only_candidate");
  const auto before = registry.Revision();
  server::DefinitionStore(registry.pool).ApplyConfirmFactor(4);
  EXPECT_EQ(registry.Winners(), "16 b 30 lowest_time");
  EXPECT_EQ(registry.Revision(), before + 1);
  server::DefinitionStore(registry.pool).ApplyConfirmFactor(4);
  EXPECT_EQ(registry.Revision(), before + 1);
  server::DefinitionStore(registry.pool).ApplyConfirmFactor(2);
  EXPECT_EQ(registry.Winners(), "16 a 100 only_candidate");
  server::DefinitionStore(registry.pool).ApplyConfirmFactor(0);
  EXPECT_EQ(registry.Winners(), "16 b 30 lowest_time");
}

TEST_F(Unconfirmed, narrowed_tables_leave_the_row_out_too) {
  Send(kSlow, {{.us = "100"}});
  Send(kFast, {{.kernel = "b", .us = "10"}});
  EXPECT_EQ(registry.Table("max_err=0.04").find(",b,"), std::string::npos);
  EXPECT_EQ(registry.Table("libtype=ck").find(",b,"), std::string::npos);
}

// A job counts only for the owner whose agent got it.
TEST_F(Unconfirmed, the_results_of_a_job_that_verifies_need_no_confirmation) {
  const std::string shapes = R"('[{"M":"16","N":"1536","K":"7168"}]')";
  Execute(
      registry.url,
      "INSERT INTO job (family, purpose, state, gfx, cu_num, priority, weight, shapes, instance) "
      "SELECT id, purpose, 'running', 'gfx942', 304, 0, 0, " +
          shapes +
          ", E'fast\\x1f' || purpose "
          "FROM family, unnest(ARRAY['verify', 'tune']) AS p(purpose) WHERE name = "
          "'a8w8_blockscale'");
  const auto job = [&](const std::string& purpose) {
    return std::stoll(
        QueryText(registry.url, "SELECT id FROM job WHERE purpose = '" + purpose + "'"));
  };
  Send(kSlow, {{.us = "100"}});
  Send(kFast, {{.kernel = "b", .us = "10"}}, job("tune"));
  Send(kThird, {{.kernel = "c", .us = "9"}}, job("verify"));
  EXPECT_EQ(registry.Winners(), "16 a 100 only_candidate");
  Send(kFast, {{.kernel = "b", .us = "11"}, {.us = "99"}}, job("verify"));
  EXPECT_EQ(registry.Winners(), "16 b 11 lowest_time");
  EXPECT_EQ(Refusal(Send(kFast, {{.m = 32, .us = "1"}}, job("verify"))), "not_of_job");
}

struct Model {
  struct Sent {
    std::string owner, kernel;
    double us = 0;
    std::int64_t run = 0;
    bool confirmed = false;
  };
  std::vector<Sent> sent;  // in the order of arrival, without reverted runs

  bool IsDoubtful(std::size_t i) const {
    const Sent& it = sent[i];
    const auto slower = [&](const Sent& other) {
      return other.owner != it.owner && it.us * 2 < other.us;
    };
    const auto supports = [&](const Sent& other) {
      return other.owner != it.owner && other.kernel == it.kernel && other.us <= it.us * 1.05;
    };
    return !it.confirmed &&
           std::any_of(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(i), slower) &&
           std::ranges::none_of(sent, supports);
  }

  bool Counts(std::size_t i) const {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < i; ++j) {
      if (sent[j].owner != sent[i].owner && !IsDoubtful(j)) best = std::min(best, sent[j].us);
    }
    return !IsDoubtful(i) || std::isinf(best) || sent[i].us * 2 >= best;
  }

  std::string Winner() const {
    std::map<std::pair<std::string, std::string>, Sent> latest;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (Counts(i)) latest[{sent[i].kernel, sent[i].owner}] = sent[i];
    }
    const Sent* best = nullptr;
    for (const auto& [name, it] : latest) {
      if (best == nullptr || it.us < best->us) best = &it;
    }
    return best == nullptr ? "" : fmt::format("16 {} {:g}", best->kernel, best->us);
  }
};

TEST_F(Unconfirmed, any_order_of_pushes_acceptances_and_reverts_agrees_with_the_rule) {
  std::mt19937 random(7);
  const auto draw = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const server::Writer kWriters[] = {kSlow, kFast, kThird};
  Model model;
  for (int step = 0; step < 150; ++step) {
    const std::size_t what = draw(10);
    if (what < 2 && !model.sent.empty()) {
      const std::size_t i = draw(model.sent.size());
      if (what == 0) {
        ASSERT_TRUE(server::RevertRun(registry.pool, model.sent[i].run, kAdmin, false, true).ok());
        model.sent.erase(model.sent.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ASSERT_TRUE(server::AcceptRun(registry.pool, model.sent[i].run, kAdmin).ok());
        model.sent[i].confirmed = true;
      }
    } else {
      const server::Writer& by = kWriters[draw(3)];
      // Distinct times, since the hash of a candidate decides between equal ones.
      const double us = 20 * std::pow(1.3, static_cast<double>(draw(14))) + step * 0.001;
      const std::string kernel(1, static_cast<char>('a' + draw(3)));
      Receipt(Send(by, {{.kernel = kernel, .us = fmt::format("{:g}", us)}}));
      model.sent.push_back({by.owner, kernel, std::stod(fmt::format("{:g}", us)), run});
    }
    const std::string winners = registry.Winners();
    EXPECT_EQ(winners.substr(0, winners.rfind(' ')), model.Winner()) << "step " << step;
  }
}

}  // namespace
}  // namespace tunehub::test
