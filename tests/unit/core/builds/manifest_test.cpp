// Each build has exactly one manifest text. An error names the line and the column.
#include "core/builds/manifest.h"

#include <gmock/gmock.h>

#include "tests/support/result.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSmall =
    "# kind: buildable\n"
    "# rocm: 6.4.1\n"
    "module,gfx,kernelId,kernelName\n"
    "gemm_a8w8,gfx942,3,a8w8_rowwise_b\n"
    "asm,gfx950,,_ZN5aiter1fE\n"
    "gemm_a8w8,,7,a8w8_rowwise_a\n"
    "flydsl,,,*\n";

Manifest Parse(std::string_view text) {
  std::vector<RowIssue> issues;
  return Must(ParseManifest(text, issues));
}

std::string ErrorOf(std::string_view text) {
  std::vector<RowIssue> issues;
  return ErrorText(ParseManifest(text, issues));
}

// Returns "3 gfx bad_gfx" and a line feed for each issue.
std::string IssuesOf(std::string_view text) {
  std::vector<RowIssue> issues;
  EXPECT_FALSE(ParseManifest(text, issues).ok());
  std::string said;
  for (const RowIssue& issue : issues) {
    said += std::to_string(issue.line) + " " + issue.column + " " + issue.code + "\n";
  }
  return said;
}

std::string With(const std::string& row) {
  return "# kind: buildable\nmodule,gfx,kernelId,kernelName\n" + row + "\n";
}

TEST(Manifest, knows_its_kernels_by_module_gfx_and_name) {
  const Manifest manifest = Parse(kSmall);
  EXPECT_TRUE(manifest.Contains("gemm_a8w8", "gfx942", "a8w8_rowwise_b"));
  EXPECT_FALSE(manifest.Contains("gemm_a8w8", "gfx950", "a8w8_rowwise_b"));
  EXPECT_TRUE(manifest.Contains("gemm_a8w8", "gfx950", "a8w8_rowwise_a")) << "any gfx";
  EXPECT_FALSE(manifest.Contains("gemm_a8w8", "gfx942", "a8w8_rowwise")) << "only a part of a name";
  EXPECT_FALSE(manifest.Contains("asm", "gfx950", "a8w8_rowwise_a")) << "another module";
  EXPECT_TRUE(manifest.Contains("flydsl", "gfx950", "whatever"));
  EXPECT_EQ(manifest.IdOf("gemm_a8w8", "gfx942", "a8w8_rowwise_b"), 3);
  EXPECT_EQ(manifest.IdOf("gemm_a8w8", "gfx942", "a8w8_rowwise_a"), 7);
  EXPECT_EQ(manifest.IdOf("asm", "gfx950", "_ZN5aiter1fE"), std::nullopt);
  EXPECT_EQ(manifest.IdOf("flydsl", "gfx950", "whatever"), std::nullopt);
}

TEST(Manifest, counts_its_kernels_by_module_and_of_two_numbers_the_lower) {
  const Manifest manifest = Parse(With("m,gfx942,9,a\nm,gfx942,8,a\nm,gfx942,,a"));
  EXPECT_EQ(manifest.IdOf("m", "gfx942", "a"), 8);
  EXPECT_EQ(Parse(kSmall).CountByModule(),
            (std::map<std::string, std::size_t>{{"asm", 1}, {"flydsl", 1}, {"gemm_a8w8", 2}}));
}

TEST(Manifest, one_build_has_one_text_however_it_is_written) {
  const Manifest manifest = Parse(kSmall);
  EXPECT_EQ(manifest.Text(),
            "# kind: buildable\n# rocm: 6.4.1\nmodule,gfx,kernelId,kernelName\n"
            "asm,gfx950,,_ZN5aiter1fE\nflydsl,,,*\ngemm_a8w8,,7,a8w8_rowwise_a\n"
            "gemm_a8w8,gfx942,3,a8w8_rowwise_b\n");
  EXPECT_EQ(Parse(manifest.Text()).Text(), manifest.Text());
  const Manifest other = Parse(
      "#rocm :6.4.1\r\n# made by hand\n# kind: buildable\n\nkernelName,kernelId,gfx,module\n"
      "*,,,flydsl\n*,,,flydsl\na8w8_rowwise_a,7,,gemm_a8w8\n"
      "a8w8_rowwise_b,3,gfx942:xnack-,gemm_a8w8\n_ZN5aiter1fE,,gfx950,asm\n");
  EXPECT_EQ(other.Sha256(), manifest.Sha256());
  EXPECT_EQ(manifest.Sha256().size(), 64u);
}

TEST(Manifest, is_buildable_or_compiled_and_another_kind_is_another_text) {
  const std::string base = Parse(kSmall).Sha256();
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text(kSmall);
    return Parse(text.replace(text.find(from), from.size(), to)).Sha256();
  };
  EXPECT_NE(changed("buildable", "compiled"), base);
  EXPECT_NE(changed("6.4.1", "6.4.2"), base);
  EXPECT_NE(changed(",3,", ",4,"), base);
  EXPECT_NE(changed(",3,", ",,"), base);
  const Manifest buildable = Parse(kSmall);
  EXPECT_TRUE(buildable.ContainsBuildable("gemm_a8w8", "gfx942", "a8w8_rowwise_b"));
  EXPECT_FALSE(buildable.ContainsBuilt("gemm_a8w8", "gfx942", "a8w8_rowwise_b"));
  EXPECT_FALSE(buildable.IsBuilt("gemm_a8w8"));
  const Manifest compiled = Parse("# kind: compiled\nmodule,gfx,kernelId,kernelName\nm,,,a\n");
  EXPECT_TRUE(compiled.ContainsBuilt("m", "gfx942", "a"));
  EXPECT_FALSE(compiled.ContainsBuildable("m", "gfx942", "a"));
  EXPECT_TRUE(compiled.IsBuilt("m"));
}

constexpr std::string_view kTree =
    "# kind: tree\n"
    "module,gfx,kernelId,kernelName,built,shape\n"
    "gemm_a8w8,,7,a8w8_rowwise_a,,\n"
    "gemm_a8w8,,8,a8w8_rowwise_a,,\n"
    "gemm_a8w8,gfx942,,a8w8_rowwise_a,1,304x16x1280x8192\n"
    "gemm_a8w8,gfx942,,a8w8_rowwise_b,1,\n";

TEST(Manifest, of_a_tree_tells_what_is_built_from_what_could_be) {
  const Manifest manifest = Parse(kTree);
  EXPECT_EQ(manifest.Text(), kTree);
  EXPECT_EQ(manifest.CountByModule().at("gemm_a8w8"), 3u) << "two numbers of one kernel count once";
  EXPECT_TRUE(manifest.ContainsBuilt("gemm_a8w8", "gfx942", "a8w8_rowwise_b"));
  EXPECT_FALSE(manifest.ContainsBuilt("gemm_a8w8", "gfx950", "a8w8_rowwise_a"));
  EXPECT_TRUE(manifest.ContainsBuildable("gemm_a8w8", "gfx950", "a8w8_rowwise_a"));
  EXPECT_FALSE(manifest.ContainsBuildable("gemm_a8w8", "gfx942", "a8w8_rowwise_b"));
  EXPECT_TRUE(manifest.HasId("gemm_a8w8", "gfx942", "a8w8_rowwise_a", 8));
  EXPECT_FALSE(manifest.HasId("gemm_a8w8", "gfx942", "a8w8_rowwise_a", 9));
  const auto compiled_for = [&](std::string_view shape) {
    return manifest.IsCompiledFor("gemm_a8w8", "gfx942", "a8w8_rowwise_a", shape);
  };
  EXPECT_TRUE(compiled_for("304x16x1280x8192"));
  EXPECT_FALSE(compiled_for("304x32x1280x8192"));
  EXPECT_FALSE(compiled_for(""));
  EXPECT_TRUE(manifest.IsBuilt("gemm_a8w8"));
  EXPECT_FALSE(manifest.WithoutBuilt({"gemm_a8w8"}).IsBuilt("gemm_a8w8"));
}

TEST(Manifest, a_malformed_row_of_a_tree_is_named_by_line_and_column) {
  EXPECT_EQ(IssuesOf("# kind: tree\nmodule,gfx,kernelId,kernelName,built,shape\n"
                     "m,,,a,yes,\nm,,,a,,1x2\nm,,,a,1,x2\nm,,,a,1,2x\nm,,,a,1,1 2\nm,,,a,1\n"),
            "3 built bad_built\n4 shape bad_shape\n5 shape bad_shape\n6 shape bad_shape\n"
            "7 shape bad_shape\n8  ragged_row\n");
  EXPECT_THAT(ErrorOf("# kind: tree\nmodule,gfx,kernelId,kernelName\nm,,,a\n"),
              HasSubstr("missing_column: line 2: the column 'built'"));
  EXPECT_THAT(ErrorOf("# kind: compiled\nmodule,gfx,kernelId,kernelName,built\nm,,,a,1\n"),
              HasSubstr("unknown_column: line 2: unknown column 'built'"));
}

TEST(Manifest, a_malformed_row_is_named_by_line_and_column) {
  EXPECT_EQ(ErrorOf(With("m,gfx942,1,a\nm,gfx942,x,b\nm,GFX 9,1,c")),
            "bad_manifest: line 4: kernelId: 'x': expected a whole number from 0 (2 rows cannot be "
            "read)");
  EXPECT_EQ(IssuesOf(With("Gemm,,,a\nm,g f,,a\nm,,-1,a\nm,,1,a b\nm,,1\nm,,1,a\nm,,1,b")),
            "3 module bad_module\n4 gfx bad_gfx\n5 kernelId bad_kernel_id\n"
            "6 kernelName bad_kernel_name\n7  ragged_row\n9 kernelId ambiguous_id\n");
}

TEST(Manifest, a_malformed_head_is_named_by_line) {
  const std::string header = "module,gfx,kernelId,kernelName\nm,,,a\n";
  EXPECT_THAT(ErrorOf(header), HasSubstr("no_kind"));
  EXPECT_THAT(ErrorOf(header + "# kind: buildable\n"), HasSubstr("no_kind"))
      << "a comment after the header states no kind";
  EXPECT_EQ(ErrorOf("# rocm: 6\n# kind: wheel\n" + header),
            "bad_kind: line 2: kind is 'wheel'; expected buildable, compiled or tree");
  EXPECT_THAT(ErrorOf("# kind: compiled\n# ROCm 6: 4\n" + header),
              HasSubstr("bad_version: line 2"));
  EXPECT_THAT(ErrorOf("# kind: compiled\n# a: 1\n# a: 2\n" + header),
              HasSubstr("bad_version: line 3"));
  EXPECT_THAT(ErrorOf("# kind: compiled\nmodule,gfx,kernelId\nm,,\n"),
              HasSubstr("missing_column: line 2: the column 'kernelName'"));
  EXPECT_THAT(ErrorOf("# kind: compiled\nmodule,gfx,kernelId,kernelName,us\n"),
              HasSubstr("unknown_column: line 2: unknown column 'us'"));
  EXPECT_THAT(ErrorOf("# kind: compiled\nmodule,module,gfx,kernelId,kernelName\n"),
              HasSubstr("duplicate_column: line 2"));
}

TEST(Manifest, without_a_kernel_or_a_header_there_is_no_build_and_it_has_limits) {
  EXPECT_THAT(ErrorOf("# kind: compiled\n"), HasSubstr("empty_table"));
  EXPECT_THAT(ErrorOf("# kind: compiled\nmodule,gfx,kernelId,kernelName\n"),
              HasSubstr("no_kernels"));
  EXPECT_THAT(ErrorOf(std::string(kMaxManifestBytes + 1, 'x')), HasSubstr("too_large"));
  std::string rows = With("m,,,a");
  for (std::size_t i = 0; i < kMaxManifestKernels; ++i) rows += "m,,,a\n";
  EXPECT_THAT(ErrorOf(rows), HasSubstr("too_many_rows: line 100003"));
}

}  // namespace
}  // namespace tunehub::core
