#include "cli/ask.h"

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/text.h"

namespace ty::cli {

std::string ask(const std::string& question) {
  std::fputs(question.c_str(), stderr);
  std::string line;
  std::getline(std::cin, line);
  return std::string(trim(line));
}

Secret ask_secretly(const std::string& question) {
  termios before{};
  const bool terminal = ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    termios quiet = before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  Secret answer(ask(question));
  if (terminal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    std::fprintf(stderr, "\n");
  }
  return answer;
}

}  // namespace ty::cli
