#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How FfDL starts a command over all learners.
namespace ty::jobspec::ffdl {

/// `mpirun … bash -c 'command'` from the first learner, with the hosts of all.
std::string launch_by_mpi(const std::string& command, std::int64_t ranks);
/// The command that launch_by_mpi() was given; none: it did not make this.
std::optional<std::string> launched_by_mpi(std::string_view script);

}  // namespace ty::jobspec::ffdl
