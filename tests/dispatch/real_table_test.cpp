// The C API's answers are those of core/lookup, which the server and `tunehub-agent lookup` ask:
// on AITER's real tables, for every (N, K) and many M.
#include <map>
#include <set>

#include "core/lookup/table.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "tests/dispatch/support.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

// A target and a shape without its M, as the table's rows have them.
struct Asked {
  std::string gfx;
  int cu_num = 0;
  std::map<std::string, std::string> cells;  // by column, the open one not among them

  auto operator<=>(const Asked&) const = default;
};

class Compared {
 public:
  explicit Compared(const std::filesystem::path& file)
      : text_(ReadText(file)),
        api_(OpenText(text_, "a8w8_blockscale")),
        source_{file.string(), text_},
        loaded_(*lookup::LoadTable(family_, ShippedTargets(), {&source_, 1})) {}

  std::set<Asked> AllAsked() const {
    std::set<Asked> all;
    for (const auto& row : loaded_.table.rows()) {
      std::string scratch;
      const auto cells = core::SplitLine(row.line, scratch);
      Asked asked{
          std::string(cells[family_.gfx]), core::ParseInt(cells[family_.cu_num]).value(), {}};
      for (const std::size_t i : core::ShapeColumns(family_)) {
        if (i != family_.lookup.m) asked.cells[family_.columns[i].name] = cells[i];
      }
      all.insert(asked);
    }
    return all;
  }

  // "gl0 48 LINE" of core/lookup, and of the C API.
  std::string Ours(const Asked& asked, int m) const {
    std::vector<core::NamedCell> named;
    for (const auto& [column, text] : asked.cells) named.push_back({column, text});
    const std::string m_text = std::to_string(m);
    named.push_back({family_.columns[family_.lookup.m].name, m_text});
    core::FamilyShape shape;
    if (core::MakeShape(family_, asked.gfx, named, 0, shape)) return "no shape";
    const auto answer = loaded_.table.Find(shape, asked.gfx, asked.cu_num);
    std::string text(lookup::Name(answer.step));
    if (!answer.found()) return text;
    return text + " " + std::to_string(answer.tried.back().m) + " " +
           std::string(loaded_.table.rows()[answer.row].line);
  }
  std::string Theirs(const ApiLayer& layer, int m) const {
    th_answer answer{};
    if (th_find(layer.get(), m, &answer) != TH_OK) return th_last_error();
    if (answer.found == 0) return answer.step;
    core::Cells cells;
    for (const core::Column& column : family_.columns) {
      const char* text = nullptr;
      if (th_cell(layer.get(), answer.row, column.name.c_str(), &text) != TH_OK) return "no cell";
      cells.emplace_back(text);
    }
    EXPECT_EQ(cells[family_.kernel_columns.front()], answer.kernel_name);
    EXPECT_EQ(cells[family_.libtype], answer.libtype);
    EXPECT_EQ(core::ParseInt(cells[family_.Find("splitK")]), answer.split_k);
    EXPECT_EQ(core::ParseNumber(cells[family_.objective]), answer.us);
    return std::string(answer.step) + " " + std::to_string(answer.m) + " " + core::JoinCells(cells);
  }
  ApiLayer LayerOf(const Asked& asked) const {
    const auto number = [&](std::size_t column) {
      return *core::ParseInt64(asked.cells.at(family_.columns[column].name));
    };
    return OpenLayer(api_, asked.gfx.c_str(), asked.cu_num,
                     {0, number(family_.metric.n), number(family_.metric.k), nullptr});
  }

 private:
  const core::Family& family_ = ShippedFamily("a8w8_blockscale");
  std::string text_;
  ApiTable api_;
  core::SourceFile source_;
  lookup::LoadedTable loaded_;
};

TEST(DispatchApiRealTable, answers_are_those_of_core_dispatch) {
  if (RealTunedFiles().empty()) GTEST_SKIP() << NoRealTables();
  int answers = 0, files = 0;
  std::map<std::string, int> steps;
  for (const auto& file : RealTunedFiles()) {
    if (file.filename().string().find("a8w8_blockscale_tuned_gemm") == std::string::npos) continue;
    ++files;
    const Compared compared(file);
    for (const Asked& asked : compared.AllAsked()) {
      const auto layer = compared.LayerOf(asked);
      for (int m = 1; m <= 20'000; m += m < 64 ? 1 : m / 7) {
        const std::string ours = compared.Ours(asked, m);
        ASSERT_EQ(compared.Theirs(layer, m), ours) << file << " M=" << m;
        ++steps[ours.substr(0, ours.find(' '))];
        ++answers;
      }
    }
  }
  EXPECT_GT(steps["exact"], 100);
  EXPECT_GT(steps["gl0"], 100);
  EXPECT_GT(steps["gl1"], 10);
  std::printf("%d files, %d answers:", files, answers);
  for (const auto& [step, count] : steps) std::printf(" %s %d", step.c_str(), count);
  std::printf("\n");
}

}  // namespace
}  // namespace tunehub::test
