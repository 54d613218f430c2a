#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "engine/local/docker/client.h"
#include "engine/local/docker/pull_progress.h"
#include "engine/local/local_launch.h"

namespace ty::engine::docker {

/// Pulls images, each once for all who wait for it, on a thread of its own. A pull that makes no
/// progress says so, and ends after the patience that was set.
class Puller {
 public:
  Puller(Client& client, Seconds patience);
  /// Gives up what is under way; nobody is told.
  ~Puller();
  void stop();
  Puller(const Puller&) = delete;
  Puller& operator=(const Puller&) = delete;

  struct Waiter {
    std::function<void(Message)> progress;                   ///< now and then, from our thread
    std::function<void(std::optional<model::Ending>)> done;  ///< once, from our thread
  };
  /// Any thread.
  void pull(std::string image, std::optional<RegistryLogin> login, Waiter waiter);

 private:
  struct Pull {
    std::string image;
    std::optional<RegistryLogin> login;
    std::vector<Waiter> waiters;
    PullProgress progress{""};
    std::uint64_t seen_news = 0;
    Time last_news{};
  };
  using Key = std::pair<std::string, std::string>;  // image, who asks

  boost::asio::awaitable<void> run(Key key, std::shared_ptr<Pull> pull);
  boost::asio::awaitable<std::optional<model::Ending>> fetch(std::shared_ptr<Pull> pull);
  boost::asio::awaitable<Result<void>> read_stream(std::shared_ptr<Pull> pull);
  boost::asio::awaitable<void> tell_progress();

  Client& client_;
  const Seconds patience_;
  SystemClock clock_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::map<Key, std::shared_ptr<Pull>> pulls_;  // of our thread
  std::thread thread_;
};

}  // namespace ty::engine::docker
