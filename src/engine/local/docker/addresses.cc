#include "engine/local/docker/addresses.h"

#include <charconv>

namespace ty::engine::docker {
namespace {

void fill(std::string& text, const std::vector<std::string>& values) {
  for (std::size_t at = text.find(kAddressMark); at != std::string::npos;
       at = text.find(kAddressMark, at)) {
    const std::size_t end = text.find(kAddressMark, at + 1);
    if (end == std::string::npos) return;
    std::size_t number = values.size();
    std::from_chars(text.data() + at + 1, text.data() + end, number);
    const std::string value = number < values.size() ? values[number] : std::string();
    text.replace(at, end + 1 - at, value);
    at += value.size();
  }
}

}  // namespace

LocalLaunch with_addresses(LocalLaunch launch, const std::vector<std::string>& addresses) {
  const std::vector<std::string>& values = addresses.empty() ? launch.peers : addresses;
  for (auto* layer : {&launch.environment.soft, &launch.environment.platform}) {
    for (auto& [name, value] : *layer) fill(value, values);
  }
  for (auto& [path, content] : launch.environment.files) fill(content, values);
  for (std::string& word : launch.command.argv) fill(word, values);
  for (std::string& word : launch.command.args) fill(word, values);
  for (std::string* text : {&launch.command.script, &launch.command.pre, &launch.command.post})
    fill(*text, values);
  if (launch.number < addresses.size()) launch.address = addresses[launch.number];
  return launch;
}

}  // namespace ty::engine::docker
