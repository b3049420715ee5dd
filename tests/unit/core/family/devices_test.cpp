#include <gmock/gmock.h>

#include <set>

#include "core/family/targets.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using testing::ElementsAre;

const Devices& ShippedDevices() {
  return test::ShippedTargets().devices();
}

std::string ProductFor(std::string_view name) {
  const Device* const device = test::ShippedTargets().FindDevice(name);
  return device == nullptr ? "nobody's" : device->product;
}

std::vector<std::string> SiblingsOf(std::string_view name) {
  std::vector<std::string> products;
  for (const Device* sibling : ShippedDevices().Siblings(*ShippedDevices().Find(name)))
    products.push_back(sibling->product);
  return products;
}

std::string DevicesError(const std::string& devices, const std::string& ambiguous = "{}") {
  return ErrorText(Devices::Parse("devices.json", R"({"sources": {"s": "a source"}, "devices": [)" +
                                                      devices + R"(], "ambiguous": )" + ambiguous +
                                                      R"(, "unnamed": []})"));
}

TEST(Devices, answer_to_products_aliases_and_pci_ids_whatever_the_case) {
  EXPECT_EQ(ProductFor("MI300X"), "MI300X");
  EXPECT_EQ(ProductFor("mi300x"), "MI300X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI325_OAM"), "MI325X");
  EXPECT_EQ(ProductFor("AMD Instinct MI325 OAM"), "MI325X") << "the driver's spelling";
  EXPECT_EQ(ProductFor("1002:74A5"), "MI325X");
  EXPECT_EQ(ProductFor("0x75b0"), "MI350X") << "a name in engines' files";
  EXPECT_EQ(ProductFor("NVIDIA_H20-3e"), "H20-3e");
  EXPECT_EQ(ProductFor("NVIDIA_H100_80GB_HBM3"), "H100 SXM");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI999X"), "nobody's");
  EXPECT_EQ(ShippedDevices().Find("MI300X")->gfx, "gfx942");
  EXPECT_EQ(ShippedDevices().Find("MI300X")->cu_num, 304);
  EXPECT_EQ(ShippedDevices().Find("AMD_Instinct_MI300XHF_OAM")->cu_num, 0)
      << "the count is unknown";
}

TEST(Devices, know_which_names_say_nothing_and_what_no_kernel_can_pass) {
  const Device& device = *ShippedDevices().Find("MI300X");
  ASSERT_TRUE(device.peaks);
  EXPECT_EQ(device.peaks->memory_gb_s, 5300);
  EXPECT_EQ(device.peaks->tflops.at("fp8"), 2614.9);
  EXPECT_THAT(device.peaks->source, testing::HasSubstr("MI300X data sheet"));
  EXPECT_FALSE(ShippedDevices().Find("MI308X")->peaks) << "no reliable source";
  for (const std::string_view shared :
       {"", "AMD_Radeon_Graphics", "AMD Radeon Graphics", "1002:740c"}) {
    EXPECT_TRUE(ShippedDevices().IsAmbiguous(shared)) << shared;
    EXPECT_EQ(ProductFor(shared), "nobody's") << shared;
  }
  EXPECT_FALSE(ShippedDevices().IsAmbiguous("AMD_Instinct_MI999X"))
      << "MI999X is unknown, not ambiguous";
  EXPECT_TRUE(ShippedDevices().IsProduct("mi308x")) << "a name in engines' files, too";
  EXPECT_FALSE(ShippedDevices().IsProduct("AMD_Instinct_MI308X"));
}

TEST(Devices, have_peaks_that_agree_with_the_rates_of_their_gfx) {
  const Targets targets = test::ShippedTargets();
  for (const Device& device : targets.devices().all()) {
    if (!device.peaks) continue;
    for (const auto& [precision, tflops] : device.peaks->tflops) {
      const auto rate = targets.PeakTflops(device.gfx, device.cu_num, precision);
      if (!rate) continue;
      EXPECT_LE(tflops, *rate * 1.001) << device.product << " " << precision;
    }
  }
}

TEST(Devices, refuse_peaks_that_are_none) {
  const std::string head =
      R"({"product": "X", "vendor": "V", "gfx": "g", "source": "s", "peaks": )";
  EXPECT_EQ(DevicesError(head + R"({"memory_gb_s": 0, "tflops": {}, "source": "s"}})"),
            "bad_devices: devices.json: /devices/0/peaks/memory_gb_s: must be above 0");
  EXPECT_EQ(DevicesError(head + R"({"memory_gb_s": 1, "tflops": {"fp8": -1}, "source": "s"}})"),
            "bad_devices: devices.json: /devices/0/peaks/tflops/fp8: must be above 0");
  EXPECT_EQ(
      DevicesError(head + R"({"memory_gb_s": 1, "tflops": {}, "source": "t"}})"),
      "bad_devices: devices.json: /devices/0/peaks/source: must be a member of /sources, but is t");
}

TEST(Devices, have_partitions_with_a_source) {
  EXPECT_THAT(ShippedDevices().Find("MI308X")->partitions, ElementsAre(20, 40));
  EXPECT_TRUE(ShippedDevices().Find("H200")->partitions.empty());
  const std::string head =
      R"({"product": "X", "vendor": "V", "gfx": "g", "source": "s", "partitions": )";
  EXPECT_EQ(DevicesError(head + R"({"cu_nums": [2], "source": "t"}})"),
            "bad_devices: devices.json: /devices/0/partitions/source: must be a member of "
            "/sources, but is t");
}

TEST(Devices, answer_to_the_names_of_engines_files) {
  EXPECT_EQ(ProductFor("AMD_Instinct_MI300X_OAM"), "MI300X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI300X_VF"), "MI300X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI300A"), "MI300A");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI325X"), "MI325X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI308X"), "MI308X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI350X"), "MI350X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI350_OAM"), "MI350X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI355X"), "MI355X");
  EXPECT_EQ(ProductFor("AMD_Instinct_MI355_OAM"), "MI355X");
  EXPECT_EQ(ProductFor("NVIDIA_H200"), "H200");
  EXPECT_EQ(ProductFor("NVIDIA_H20"), "H20");
  EXPECT_EQ(ProductFor("NVIDIA_H100_PCIe"), "H100 PCIe");
  EXPECT_EQ(ProductFor("NVIDIA_H800"), "H800");
  EXPECT_EQ(ProductFor("NVIDIA_B200"), "B200");
  EXPECT_EQ(ProductFor("NVIDIA_L40S"), "L40S");
  EXPECT_EQ(ProductFor("NVIDIA_A100-SXM4-80GB"), "A100 SXM4 80GB");
  EXPECT_EQ(ProductFor("NVIDIA_A100_80GB_PCIe"), "A100 PCIe 80GB");
  EXPECT_EQ(ProductFor("NVIDIA_A800-SXM4-80GB"), "A800 SXM4 80GB");
  EXPECT_EQ(ProductFor("NVIDIA_GeForce_RTX_4090"), "RTX 4090");
}

TEST(Devices, products_are_read_before_targets_and_siblings_share_gfx_and_cu_num) {
  EXPECT_THAT(SiblingsOf("AMD_Instinct_MI300X"), ElementsAre("MI325X"));
  EXPECT_THAT(SiblingsOf("MI325X"), ElementsAre("MI300X"));
  EXPECT_THAT(SiblingsOf("MI308X"), ElementsAre());
  EXPECT_THAT(SiblingsOf("MI300X HF"), ElementsAre())
      << "a product with an unknown count has no sibling";
  EXPECT_EQ(ShippedDevices().TargetName("gfx942", 304), "MI300X / MI325X (gfx942:304)");
  EXPECT_EQ(ShippedDevices().TargetName("gfx942", 80), "MI308X (gfx942:80)");
  EXPECT_EQ(ShippedDevices().TargetName("gfx942", 20), "gfx942:20");
  EXPECT_EQ(ShippedDevices().TargetName("gfx1250", 256), "gfx1250:256")
      << "a known target without a product's name";
  EXPECT_EQ(ShippedDevices().TargetName("gfx942", 0), "gfx942");
}

TEST(Devices, every_shipped_name_and_figure_has_a_source) {
  std::set<std::string> products;
  for (const Device& device : ShippedDevices().all()) {
    EXPECT_FALSE(device.source.empty()) << device.product;
    EXPECT_FALSE(device.gfx.empty()) << device.product;
    EXPECT_TRUE(device.product.empty() || products.insert(device.product).second);
    for (const DeviceName& alias : device.aliases) EXPECT_FALSE(alias.source.empty()) << alias.name;
    for (const DeviceName& id : device.pci_ids) {
      EXPECT_FALSE(id.source.empty()) << id.name;
      EXPECT_EQ(id.name.size(), std::string_view("1002:74a1").size()) << id.name;
    }
  }
}

TEST(Devices, a_wrong_file_is_rejected_with_place_and_reason) {
  const std::string x = R"({"product": "X", "vendor": "V", "gfx": "gfx1", "source": "s"})";
  EXPECT_EQ(DevicesError(x), "");
  EXPECT_EQ(DevicesError(R"({"product": "", "vendor": "V", "gfx": "gfx1", "source": "s"})"),
            "bad_devices: devices.json: /devices/0/product: must not be empty");
  EXPECT_EQ(DevicesError(R"({"product": "X", "vendor": "V", "gfx": "gfx1", "source": "t"})"),
            "bad_devices: devices.json: /devices/0/source: must be a member of /sources, but is t");
  EXPECT_EQ(
      DevicesError(R"({"product": "X", "vendor": "V", "gfx": "gfx1", "source": "s",
                        "aliases": {"V_X": "t"}})"),
      "bad_devices: devices.json: /devices/0/aliases/V_X: must be a member of /sources, but is t");
  EXPECT_EQ(DevicesError(x + R"(, {"product": "Y", "vendor": "V", "gfx": "gfx1", "source": "s",
                        "aliases": {"x": "s"}})"),
            "bad_devices: devices.json: /devices/1: x is also a name of X; put a name that several "
            "devices share in /ambiguous");
  EXPECT_EQ(DevicesError(x, R"({"X": "several"})"),
            "bad_devices: devices.json: /devices/0: the name X is in /ambiguous, so no device may "
            "have it");
  EXPECT_EQ(DevicesError(
                R"({"product": "X", "vendor": "V", "gfx": "gfx1", "cu_num": -1, "source": "s"})"),
            "bad_devices: devices.json: /devices/0/cu_num: must be an integer from 0 to 4096");
}

std::string TargetsErrorOf(std::string_view json) {
  return ErrorText(Targets::Parse("targets.json", json));
}

std::string WithArch(const std::string& arch) {
  return R"({"archs": {"gfx942": )" + arch + R"(}, "legacy_gfx": {}})";
}

TEST(Targets, peaks_are_those_of_the_data_sheets) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "fp8"), 2614.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "int8"), 2614.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "bf16"), 1307.4, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 80, "fp8"), 688.1, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "bf16"), 2516.6, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "fp8"), 5033.2, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "int8"), 5033.2, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "fp4"), 10066.3, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "bf16"), 989.4, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "fp8"), 1978.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "int8"), 1978.9, 0.05);
}

TEST(Targets, dtypes_have_the_precision_of_their_peak_and_no_factor_no_peak) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_EQ(targets.PeakTflops("gfx942", 304, "fp4"), std::nullopt);  // no fp4 instruction
  EXPECT_EQ(targets.PeakTflops("gfx942", 304, ""), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx942", 0, "fp8"), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx1250", 256, "fp8"), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx90a", 104, "bf16"), std::nullopt);
  EXPECT_EQ(PrecisionOfDtype("torch.bfloat16"), "bf16");
  EXPECT_EQ(PrecisionOfDtype("torch.float16"), "fp16");
  EXPECT_EQ(PrecisionOfDtype("torch.float8_e4m3fn"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("torch.float8_e4m3fnuz"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("dtypes.fp8"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("torch.int8"), "int8");
  EXPECT_EQ(PrecisionOfDtype("torch.float4_e2m1fn_x2"), "fp4");
  EXPECT_EQ(PrecisionOfDtype("torch.float32"), "");
  EXPECT_EQ(PrecisionOfDtype(""), "");
}

TEST(Targets, know_what_aiter_assumes_and_fills_in) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_EQ(targets.Find("gfx942")->default_cu_num, 304);
  EXPECT_EQ(targets.Find("gfx950")->default_cu_num, 256);
  EXPECT_EQ(targets.Find("gfx1250")->default_cu_num, 256);
  EXPECT_TRUE(targets.Find("gfx942")->fnuz);
  EXPECT_FALSE(targets.Find("gfx950")->fnuz);
  EXPECT_FALSE(targets.Find("gfx1250")->fnuz);
  EXPECT_EQ(targets.Find("sm_90")->default_cu_num, 0) << "AITER's map lacks sm_90";
  EXPECT_FALSE(targets.Find("sm_90")->fnuz);
  EXPECT_EQ(targets.Find("gfx90a"), nullptr);
  EXPECT_EQ(targets.LegacyGfx(256), "gfx950");
  EXPECT_EQ(targets.LegacyGfx(80), "gfx942");
  EXPECT_EQ(targets.LegacyGfx(304), "gfx942");
  EXPECT_EQ(targets.LegacyGfx(128), std::nullopt);
  EXPECT_EQ(targets.LegacyGfx(0), std::nullopt);
}

TEST(Targets, carry_their_text_and_its_hash) {
  const Targets targets = Must(Targets::Parse("t", R"({"archs": {}, "legacy_gfx": {}})"));
  EXPECT_EQ(targets.source(), R"({"archs": {}, "legacy_gfx": {}})");
  EXPECT_EQ(targets.Sha256().size(), 64U);
}

TEST(Targets, reject_a_wrong_file_with_place_and_reason) {
  EXPECT_EQ(TargetsErrorOf(R"({"archs": {}})"),
            "bad_targets: targets.json: /legacy_gfx: is missing");
  EXPECT_EQ(TargetsErrorOf(R"({"archs": {}, "legacy_gfx": {}, "extra": 1})"),
            "bad_targets: targets.json: /extra: is an unknown member");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({"clock": 1, "source": "s"})")),
            "bad_targets: targets.json: /archs/gfx942/clock: is an unknown member");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({"default_cu_num": 4097, "source": "s"})")),
            "bad_targets: targets.json: /archs/gfx942/default_cu_num: must be an integer from 0 "
            "to 4096");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({})")),
            "bad_targets: targets.json: /archs/gfx942/source: is missing");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({"source": "s", "flops_per_cu_clock": {"fp8": 4096}})")),
            "bad_targets: targets.json: /archs/gfx942/clock_mhz: is required with "
            "flops_per_cu_clock");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({"source": "s", "clock_mhz": 1,
                                 "flops_per_cu_clock": {"fp8": "many"}})")),
            "bad_targets: targets.json: /archs/gfx942/flops_per_cu_clock/fp8: must be a number, "
            "but is string");
  EXPECT_EQ(TargetsErrorOf(R"({"archs": {}, "legacy_gfx": {"256": "gfx950"}})"),
            "bad_targets: targets.json: /legacy_gfx/256: expected a gfx of /archs");
  EXPECT_EQ(TargetsErrorOf(WithArch(R"({"source": "s"})")), "");
}

TEST(Targets, a_missing_file_is_an_error) {
  const Result<Targets> targets = Targets::Load("/nonexistent/targets.json");
  ASSERT_FALSE(targets.ok());
  EXPECT_EQ(targets.error().detail, "/nonexistent/targets.json: cannot be read");
}

}  // namespace
}  // namespace tunehub::core
