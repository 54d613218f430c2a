#pragma once

namespace ty::supervisor {

/// What the supervisor of a container writes. The files lie outside of the container, so that the
/// task, which may be root there, has no path to them: the server hands them over, open, through a
/// socket that it serves once.
struct HandedFiles {
  int journal = -1;
  int log = -1;
  int index = -1;
};

/// False: the server that was to hand them over is gone.
bool receive_files(const char* socket_path, HandedFiles& out);

/// Nobody in the container may open what we hold, change our memory or our limits, though the task
/// may have our user and our capabilities. `become_task` undoes it for the task's own process.
void keep_task_out();
/// Before the task's process changes its user.
void become_task();

}  // namespace ty::supervisor
