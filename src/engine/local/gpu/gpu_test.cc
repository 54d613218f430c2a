#include <gtest/gtest.h>

#include "engine/local/gpu/gpu_watch.h"
#include "engine/messages.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

TEST(Gpu, ModelsHaveTheShortNamesThatJobsUse) {
  EXPECT_EQ(gpu_type_of("NVIDIA H200"), "H200");
  EXPECT_EQ(gpu_type_of("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(gpu_type_of("Tesla V100-PCIE-16GB"), "V100");
  EXPECT_EQ(gpu_type_of("NVIDIA GeForce RTX 4090"), "RTX4090");
  EXPECT_EQ(gpu_type_of(""), "GPU");
}

TEST(Gpu, AnInventoryCanBeMadeUp) {
  const auto gpus = configured_gpus({"A100:4/2", "V100"});
  ASSERT_TRUE(gpus);
  std::vector<int> groups;
  for (const Gpu& gpu : *gpus) groups.push_back(gpu.link_group);
  EXPECT_EQ(groups, (std::vector{0, 0, 1, 1, 2}));
  EXPECT_EQ(gpus->back().type, "V100");
  for (const char* bad : {"", ":3", "A100:0", "A100:x", "A100:8/0", "A100:1:2", "A100:2000"})
    EXPECT_FALSE(configured_gpus({bad})) << bad;
}

/// A source whose second device breaks when it is told to.
class BreakingSource final : public GpuSource {
 public:
  explicit BreakingSource(std::shared_ptr<std::atomic<bool>> is_broken)
      : is_broken_(std::move(is_broken)) {}
  std::vector<Gpu> inventory() override { return std::vector<Gpu>(2, Gpu{.type = "T"}); }
  void sample(std::vector<Gpu>& gpus) override {
    gpus[0].load_percent = 50;
    if (!*is_broken_) return;
    gpus[1].healthy = false;
    gpus[1].problem = say::gpu_off_the_bus();
  }

 private:
  std::shared_ptr<std::atomic<bool>> is_broken_;
};

TEST(GpuWatch, ABrokenGpuIsToldOnce) {
  const auto is_broken = std::make_shared<std::atomic<bool>>(false);
  auto source = std::make_unique<BreakingSource>(is_broken);
  auto gpus = source->inventory();
  std::atomic<int> told = 0;
  GpuWatch watch(std::move(gpus), std::move(source), [&] { ++told; });
  ASSERT_TRUE(testing::eventually([&] { return watch.now()[0].load_percent == 50; }));
  EXPECT_TRUE(watch.now()[1].healthy);
  EXPECT_EQ(told, 0);
  *is_broken = true;
  ASSERT_TRUE(testing::eventually([&] { return !watch.now()[1].healthy; }));
  ASSERT_TRUE(testing::eventually([&] { return told == 1; }));
  EXPECT_EQ(watch.now()[1].problem, say::gpu_off_the_bus());
}

}  // namespace
}  // namespace ty::engine
