#pragma once
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace ty::supervisor {

/// clone3() that shares our memory and stops us until the child execs or ends, running
/// `body(context)` in it on a stack of its own. glibc has no such call: its vfork() takes no flags,
/// its clone() no cgroup. The child must not return.
inline pid_t clone_and_wait(
    clone_args& args, char* stack, std::size_t stack_size, void (*body)(void*), void* context) {
  args.flags |= CLONE_VM | CLONE_VFORK;
  args.stack = reinterpret_cast<std::uint64_t>(stack);
  args.stack_size = stack_size;
#if defined(__x86_64__)
  register long result __asm__("rax") = SYS_clone3;
  register clone_args* first __asm__("rdi") = &args;
  register std::size_t second __asm__("rsi") = sizeof(args);
  register void (*call)(void*) __asm__("r12") = body;
  register void* argument __asm__("r13") = context;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "ud2\n"
      "1:"
      : "+r"(result)
      : "r"(first), "r"(second), "r"(call), "r"(argument)
      : "rcx", "r11", "memory", "cc");
#elif defined(__aarch64__)
  register long result __asm__("x0") = reinterpret_cast<long>(&args);
  register std::size_t second __asm__("x1") = sizeof(args);
  register long number __asm__("x8") = SYS_clone3;
  register void (*call)(void*) __asm__("x19") = body;
  register void* argument __asm__("x20") = context;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x20\n\t"
      "blr x19\n\t"
      "brk #1\n"
      "1:"
      : "+r"(result)
      : "r"(second), "r"(number), "r"(call), "r"(argument)
      : "memory", "cc");
#else
#error "clone_and_wait is written for x86-64 and arm64"
#endif
  return static_cast<pid_t>(result);
}

}  // namespace ty::supervisor
