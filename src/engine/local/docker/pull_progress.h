#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/message.h"
#include "model/job.h"

namespace ty::engine::docker {

/// Reads what Docker tells while it pulls, one JSON object per line, and sums it up; pure.
class PullProgress {
 public:
  explicit PullProgress(std::string image) : image_(std::move(image)) {}

  /// Any piece of the stream.
  void feed(std::string_view bytes);

  /// `pulling python:3.12: 3 of 8 layers, 120 MB of 410 MB`
  Message message() const;
  /// In the registry's own words; empty: none so far.
  const std::string& error() const { return error_; }
  /// Grows with everything that happens.
  std::uint64_t news() const { return news_; }

 private:
  void take_line(std::string_view line);

  struct Layer {
    std::int64_t current = 0;
    std::int64_t total = 0;
    bool is_done = false;
  };
  std::string image_;
  std::string rest_;
  std::map<std::string, Layer> layers_;
  std::string note_;  // what it says beside the layers: "Retrying in 5 seconds"
  std::string error_;
  std::uint64_t news_ = 0;
};

/// What a failed pull means for the task: the registry's words and what to do about them.
model::Ending pull_ending(std::string_view image, Message why);

}  // namespace ty::engine::docker
