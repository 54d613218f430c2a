#include "model/log_clue.h"

#include <algorithm>
#include <cctype>

namespace ty::model {
namespace {

struct Cause {
  std::string_view code;
  std::string_view text;
};

constexpr Cause kGpuMemory{"gpu_out_of_memory",
                           "the GPU ran out of memory; use a smaller batch or mixed precision, or "
                           "ask for a GPU with more"};
constexpr Cause kSharedMemory{
    "shared_memory",
    "the data loader ran out of shared memory; ask for more shm, or use fewer workers"};
constexpr Cause kMemory{"out_of_memory", "the program ran out of memory; ask for more"};
constexpr Cause kDiskFull{"disk_full", "the disk is full; write less, or to another storage"};
constexpr Cause kModule{
    "missing_module",
    "a Python module is missing; take an image that has it, or install it before the command"};
constexpr Cause kLibrary{"missing_library",
                         "a shared library is missing; take an image that has it"};
constexpr Cause kCommand{
    "missing_command",
    "a command was not found; check its name and path, or take an image that has it"};
constexpr Cause kDriver{
    "gpu_unusable",
    "the program cannot use a GPU; ask for one, and take an image whose CUDA the driver supports"};
constexpr Cause kAssert{
    "device_assert",
    "the GPU found a value it cannot use, often a label or an index out of range; "
    "CUDA_LAUNCH_BLOCKING=1 shows where"};
constexpr Cause kNccl{
    "gpus_cannot_talk",
    "the GPUs of the job could not talk to each other; NCCL_DEBUG=INFO shows why"};
constexpr Cause kPort{"port_taken",
                      "a port is taken; ask for a port in the job file and use the one it gets"};
constexpr Cause kArguments{"wrong_arguments",
                           "the program does not know its arguments; check the command"};
constexpr Cause kSyntax{"syntax_error",
                        "the program itself has an error that keeps it from starting"};
constexpr Cause kNan{
    "loss_not_a_number",
    "the loss is no number any more; try a smaller learning rate, or clip gradients"};
constexpr Cause kCrash{"crashed", "the program crashed in native code"};
constexpr Cause kFile{"missing_file",
                      "a file was not found; check its path, and that what holds it is mounted"};
constexpr Cause kPermission{"no_permission", "a file or folder may not be read or written"};
constexpr Cause kName{"unknown_host", "a host name was not found; the network may not reach it"};
constexpr Cause kConnection{"no_connection", "somebody it wanted to talk to did not answer"};
constexpr Cause kException{"exception", "the program ended with an exception"};

struct Sign {
  std::string_view words;
  const Cause& cause;
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

const Cause* cause_of(std::string_view line, std::span<const Sign> signs) {
  const auto said = [line](const Sign& sign) { return line.find(sign.words) != line.npos; };
  const auto found = std::ranges::find_if(signs, said);
  return found == signs.end() ? nullptr : &found->cause;
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

}  // namespace

std::optional<LogClue> find_clue(std::span<const std::string> lines) {
  std::optional<LogClue> likely, unknown;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const Cause* sure = is_missed_command(lines[i]) ? &kCommand : cause_of(lines[i], kSure);
    if (sure) return LogClue{sure->code, sure->text, i};
    if (likely) continue;
    if (const Cause* cause = cause_of(lines[i], kLikely))
      likely = LogClue{cause->code, cause->text, i};
    else if (!unknown && is_exception(lines[i]))
      unknown = LogClue{kException.code, kException.text, i};
  }
  return likely ? likely : unknown;
}

}  // namespace ty::model
