#include "model/log_clue.h"

#include <algorithm>
#include <cctype>

namespace ty::model {
namespace {

/// Each has its words in messages.toml, as `clue_…`.
constexpr std::string_view kGpuMemory = "gpu_out_of_memory";
constexpr std::string_view kSharedMemory = "shared_memory";
constexpr std::string_view kMemory = "out_of_memory";
constexpr std::string_view kDiskFull = "disk_full";
constexpr std::string_view kModule = "missing_module";
constexpr std::string_view kLibrary = "missing_library";
constexpr std::string_view kCommand = "missing_command";
constexpr std::string_view kDriver = "gpu_unusable";
constexpr std::string_view kAssert = "device_assert";
constexpr std::string_view kNccl = "gpus_cannot_talk";
constexpr std::string_view kPort = "port_taken";
constexpr std::string_view kArguments = "wrong_arguments";
constexpr std::string_view kSyntax = "syntax_error";
constexpr std::string_view kNan = "loss_not_a_number";
constexpr std::string_view kCrash = "crashed";
constexpr std::string_view kFile = "missing_file";
constexpr std::string_view kPermission = "no_permission";
constexpr std::string_view kName = "unknown_host";
constexpr std::string_view kConnection = "no_connection";
constexpr std::string_view kException = "exception";

struct Sign {
  std::string_view words;
  std::string_view cause;
};

/// Nobody goes on after these.
constexpr Sign kSure[] = {
    {"CUDA out of memory", kGpuMemory},
    {"HIP out of memory", kGpuMemory},
    {"OutOfMemoryError: CUDA", kGpuMemory},
    {"CUDA_ERROR_OUT_OF_MEMORY", kGpuMemory},
    {"OOM when allocating tensor", kGpuMemory},
    {"RESOURCE_EXHAUSTED: Out of memory", kGpuMemory},
    {"CUBLAS_STATUS_ALLOC_FAILED", kGpuMemory},
    {"insufficient shared memory (shm)", kSharedMemory},
    {"out of shared memory", kSharedMemory},
    {"unable to allocate shared memory", kSharedMemory},
    {"MemoryError", kMemory},
    {"std::bad_alloc", kMemory},
    {"Cannot allocate memory", kMemory},
    {"DefaultCPUAllocator: can't allocate memory", kMemory},
    {"No space left on device", kDiskFull},
    {"Disk quota exceeded", kDiskFull},
    {"ModuleNotFoundError: ", kModule},
    {"ImportError: No module named", kModule},
    {"error while loading shared libraries", kLibrary},
    {"ImportError: lib", kLibrary},
    {"command not found", kCommand},
    {"executable file not found", kCommand},
    {"no kernel image is available for execution", kDriver},
    {"no CUDA-capable device is detected", kDriver},
    {"CUDA driver version is insufficient", kDriver},
    {"Found no NVIDIA driver", kDriver},
    {"Torch not compiled with CUDA enabled", kDriver},
    {"device-side assert triggered", kAssert},
    {"ncclSystemError", kNccl},
    {"ncclInternalError", kNccl},
    {"ncclRemoteError", kNccl},
    {"ncclUnhandledCudaError", kNccl},
    {"NCCL error", kNccl},
    {"Address already in use", kPort},
    {"EADDRINUSE", kPort},
    {"error: unrecognized arguments", kArguments},
    {"error: the following arguments are required", kArguments},
    {"error: invalid choice", kArguments},
    {"SyntaxError: ", kSyntax},
    {"IndentationError: ", kSyntax},
    {"Loss is nan", kNan},
    {"loss is nan", kNan},
    {"Segmentation fault", kCrash},
};

/// Many programs say these, and live.
constexpr Sign kLikely[] = {
    {"FileNotFoundError", kFile},
    {"No such file or directory", kFile},
    {"PermissionError", kPermission},
    {"Permission denied", kPermission},
    {"Read-only file system", kPermission},
    {"Name or service not known", kName},
    {"Temporary failure in name resolution", kName},
    {"Could not resolve host", kName},
    {"Connection refused", kConnection},
    {"Connection timed out", kConnection},
    {"No route to host", kConnection},
};

/// Empty when it has none of them.
std::string_view cause_of(std::string_view line, std::span<const Sign> signs) {
  const auto said = [line](const Sign& sign) { return line.find(sign.words) != line.npos; };
  const auto found = std::ranges::find_if(signs, said);
  return found == signs.end() ? std::string_view{} : found->cause;
}

/// `torch.cuda.SomeError: …`, from the first character on.
bool is_exception(std::string_view line) {
  const std::size_t colon = line.find(": ");
  const std::string_view name = line.substr(0, colon == line.npos ? line.size() : colon);
  const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  return name.size() < 100 && std::ranges::all_of(name, is_part) &&
         (name.ends_with("Error") || name.ends_with("Exception"));
}

/// `/bin/sh: 1: pyhton: not found`: other shells say "command not found".
bool is_missed_command(std::string_view line) {
  return line.ends_with(": not found") && line.substr(0, line.find(": ")).ends_with("sh");
}

LogClue clue_at(std::size_t line, std::string_view cause) {
  return {.code = cause, .text = Message("clue_" + std::string(cause), {}), .line = line};
}

}  // namespace

std::optional<LogClue> find_clue(std::span<const std::string> lines) {
  std::optional<LogClue> likely, unknown;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const std::string_view sure =
        is_missed_command(lines[i]) ? kCommand : cause_of(lines[i], kSure);
    if (!sure.empty()) return clue_at(i, sure);
    if (likely) continue;
    if (const std::string_view cause = cause_of(lines[i], kLikely); !cause.empty())
      likely = clue_at(i, cause);
    else if (!unknown && is_exception(lines[i]))
      unknown = clue_at(i, kException);
  }
  return likely ? likely : unknown;
}

}  // namespace ty::model
