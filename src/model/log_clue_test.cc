#include "model/log_clue.h"

#include <gtest/gtest.h>

#include <vector>

namespace ty::model {
namespace {

std::string code_of(const std::vector<std::string>& lines) {
  const auto clue = find_clue(lines);
  if (clue) EXPECT_TRUE(is_known_code(clue->text.code)) << clue->text.code;
  return clue ? std::string(clue->code) : "";
}

TEST(LogClue, TheLastWordsOfKnownFailuresAreRecognised) {
  const std::vector<std::pair<std::string, std::string>> said = {
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
       "gpu_out_of_memory"},
      {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1 GiB", "gpu_out_of_memory"},
      {"E tensorflow: OOM when allocating tensor with shape[128,1024]", "gpu_out_of_memory"},
      {"RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible "
       "that "
       "dataloader's workers are out of shared memory.",
       "shared_memory"},
      {"ModuleNotFoundError: No module named 'apex'", "missing_module"},
      {"bash: line 1: pyhton: command not found", "missing_command"},
      {"/bin/sh: 1: pyhton: not found", "missing_command"},
      {"OSError: [Errno 28] No space left on device: '/output/x.pt'", "disk_full"},
      {"FileNotFoundError: [Errno 2] No such file or directory: '/data/train'", "missing_file"},
      {"PermissionError: [Errno 13] Permission denied: '/model'", "no_permission"},
      {"RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled system error",
       "gpus_cannot_talk"},
      {"OSError: [Errno 98] Address already in use", "port_taken"},
      {"train.py: error: unrecognized arguments: --batch", "wrong_arguments"},
      {"ValueError: expected 3 dimensions, got 2", "exception"},
  };
  for (const auto& [line, code] : said) {
    EXPECT_EQ(code_of({"epoch 1 loss 0.5", line, "bye"}), code) << line;
  }
}

TEST(LogClue, OrdinaryOutputSaysNothing) {
  EXPECT_EQ(code_of({}), "");
  EXPECT_EQ(code_of({"epoch 1 loss 0.5", "val_error: 0.12", "Mean Squared Error: 0.3", ""}), "");
}

TEST(LogClue, WhatEndsAProgramCountsBeforeWhatItMayHaveSurvived) {
  EXPECT_EQ(code_of({"RuntimeError: CUDA out of memory.",
                     "warning: cache: No such file or directory",
                     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"}),
            "gpu_out_of_memory");
  EXPECT_EQ(code_of({"cat: x: No such file or directory", "KeyError: 'x'"}), "missing_file");
}

TEST(LogClue, OfEqualsTheLastOneCounts) {
  const std::vector<std::string> lines = {
      "ModuleNotFoundError: No module named 'a'", "trying without a", "MemoryError", ""};
  const auto clue = find_clue(lines);
  ASSERT_TRUE(clue);
  EXPECT_EQ(clue->code, "out_of_memory");
  EXPECT_EQ(clue->line, 2u);
}

}  // namespace
}  // namespace ty::model
