#pragma once
#include <boost/asio/awaitable.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/user.h"
#include "store/database.h"

namespace ty::store {

/// Workspaces and who belongs to them. `default` is there from the first start. Any thread.
class WorkspaceStore {
 public:
  explicit WorkspaceStore(Database& db) : db_(db) {}

  /// Conflict when the name is taken. `id` is the store's.
  boost::asio::awaitable<Result<model::Workspace>> create(model::Workspace workspace);
  boost::asio::awaitable<Result<model::Workspace>> find(WorkspaceId id);
  boost::asio::awaitable<Result<model::Workspace>> find_by_name(std::string name);
  boost::asio::awaitable<Result<std::vector<model::Workspace>>> list();
  boost::asio::awaitable<Result<void>> update(model::Workspace workspace);
  /// Conflict while jobs are kept in it.
  boost::asio::awaitable<Result<void>> remove(WorkspaceId id);

  /// Adds the user, or changes their role.
  boost::asio::awaitable<Result<void>> set_member(UserId user,
                                                  WorkspaceId workspace,
                                                  model::WorkspaceRole role);
  boost::asio::awaitable<Result<void>> remove_member(UserId user, WorkspaceId workspace);
  boost::asio::awaitable<Result<std::vector<model::Membership>>> members(WorkspaceId workspace);
  boost::asio::awaitable<Result<std::vector<model::Membership>>> memberships(UserId user);
  boost::asio::awaitable<Result<std::optional<model::WorkspaceRole>>> role(UserId user,
                                                                           WorkspaceId workspace);

 private:
  /// Every submission asks for a workspace by its name; nobody but this store changes them.
  class Known {
   public:
    std::optional<model::Workspace> find(const std::string& name) const;
    /// What a later reading of the table must still be, to be kept.
    std::uint64_t generation() const;
    void keep(const model::Workspace& workspace, std::uint64_t generation);
    void forget();

   private:
    mutable std::mutex mutex_;
    std::map<std::string, model::Workspace> by_name_;
    std::uint64_t generation_ = 0;
  };

  Database& db_;
  Known known_;
};

/// Few named texts that the server remembers: secrets of its own, what was done once.
class SettingStore {
 public:
  explicit SettingStore(Database& db) : db_(db) {}

  boost::asio::awaitable<Result<std::optional<std::string>>> get(std::string name);
  boost::asio::awaitable<Result<void>> set(std::string name, std::string value);
  /// The value that is there, or else `value`, which is stored then.
  boost::asio::awaitable<Result<std::string>> get_or_set(std::string name, std::string value);
  /// Conflict when what is there is not `before` any more; nothing: when something is there.
  boost::asio::awaitable<Result<void>> replace(std::string name,
                                               std::optional<std::string> before,
                                               std::string value);

 private:
  Database& db_;
};

}  // namespace ty::store
