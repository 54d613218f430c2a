#include "jobspec/impl/kube_quantity.h"

#include <gtest/gtest.h>

namespace ty::jobspec {
namespace {

std::int64_t milli(std::string_view text) {
  const auto value = parse_kube_milli(text, KubeKind::Cpu);
  return value ? *value : -1;
}
std::int64_t whole(std::string_view text) {
  const auto value = parse_kube_whole(text, KubeKind::Memory);
  return value ? *value : -1;
}

TEST(KubeQuantity, ReadsWhatKubernetesReads) {
  EXPECT_EQ(milli("500m"), 500);
  EXPECT_EQ(milli(".5"), 500);
  EXPECT_EQ(milli("5."), 5000);
  EXPECT_EQ(milli("+1"), 1000);
  EXPECT_EQ(milli("00012"), 12'000);
  EXPECT_EQ(milli("1e3"), 1'000'000);
  EXPECT_EQ(milli("1E3"), 1'000'000);
  for (const char* tiny : {"1e-3", "1m", "1u", "1n", "0.1m", "0.0005"})
    EXPECT_EQ(milli(tiny), 1) << tiny;
  EXPECT_EQ(milli("1.5m"), 2);
  EXPECT_EQ(milli("0"), 0);
  EXPECT_EQ(whole("1024Mi"), std::int64_t{1} << 30);
  EXPECT_EQ(whole("1.5Gi"), std::int64_t{1536} << 20);
  EXPECT_EQ(whole("0.1Gi"), 107'374'183);
  EXPECT_EQ(whole("1k"), 1000);
  EXPECT_EQ(whole("1E"), 1'000'000'000'000'000'000);
}

TEST(KubeQuantity, RefusesWhatKubernetesRefuses) {
  for (const char* text :
       {"1K",    "1KB",  "1GB",   "1Mib",  "1g",    "1gi",   "1mi",  "1i",  "1EE", "1e",
        "100m5", "1 Gi", "1e1.5", "1.2.3", "1,000", "1_000", "0x10", "--1", "",    "true"}) {
    EXPECT_EQ(whole(text), -1) << text;
  }
}

TEST(KubeQuantity, RefusesUnitsWithoutADigitAndWhatDoesNotFit) {
  for (const char* text : {".", "m", "Gi", "e3", "-1", "1e400", "9223372036854775808", "8Ei"})
    EXPECT_EQ(whole(text), -1) << text;
  EXPECT_EQ(whole("1e-400"), 1);
}

TEST(KubeQuantity, SaysWhatToWriteInstead) {
  EXPECT_EQ(parse_kube_whole("16 Gigs", KubeKind::Memory).error().message.text(),
            "\"16 Gigs\" is not a valid amount of memory; write 16Gi");
  EXPECT_EQ(parse_kube_whole("0.5", KubeKind::Count).error().message.text(),
            "0.5 is not a whole number; write 1, or 0 for none");
  EXPECT_EQ(*parse_kube_whole("1000m", KubeKind::Count), 1);
}

TEST(KubeQuantity, WritesTheShortestExactForm) {
  EXPECT_EQ(format_kube_cpu(1500), "1500m");
  EXPECT_EQ(format_kube_cpu(2000), "2");
  EXPECT_EQ(format_kube_bytes(std::int64_t{1536} << 20), "1536Mi");
  EXPECT_EQ(format_kube_bytes(1000), "1000");
}

}  // namespace
}  // namespace ty::jobspec
