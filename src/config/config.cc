#include "config/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "config/fields.h"
#include "config/messages.h"

namespace ty::config {

namespace {

std::vector<std::string_view> all_keys() {
  std::vector<std::string_view> keys;
  for (const Field& field : fields()) keys.push_back(field.key);
  return keys;
}

class Reader {
 public:
  explicit Reader(Config& config) : config_(config) {}

  void section(const YAML::Node& map, const std::string& prefix) {
    for (const auto& entry : map) {
      const std::string key = prefix + entry.first.Scalar();
      if (const Field* field = find_field(key))
        value(*field, entry.second);
      else if (entry.second.IsMap())
        section(entry.second, key + ".");
      else
        unknown(entry.first, key);
    }
  }

  Result<void> done() && {
    if (faults_.empty()) return {};
    Value::Messages all;
    for (const Fault& fault : faults_) {
      all.push_back(say::setting_fault_at({.line = fault.line,
                                           .column = fault.column,
                                           .key = fault.pointer,
                                           .why = fault.message}));
    }
    Message message = say::setting_faults({.count = faults_.size(), .faults = std::move(all)});
    return fail(Errc::Invalid, std::move(message), std::move(faults_));
  }

 private:
  void value(const Field& field, const YAML::Node& node) {
    if (field.clear) field.clear(config_);
    if (field.is_list && node.IsSequence()) {
      for (const auto& item : node) scalar(field, item, item.IsScalar() ? item.Scalar() : "");
    } else if (field.is_map && node.IsMap()) {
      for (const auto& item : node)
        scalar(field, item.second, item.first.Scalar() + "=" + item.second.Scalar());
    } else if (node.IsScalar()) {
      scalar(field, node, node.Scalar());
    } else {
      fault(node, field.key, say::setting_takes_one({.kind = field.kind}));
    }
  }

  void scalar(const Field& field, const YAML::Node& node, std::string_view text) {
    if (auto ok = field.set(config_, text); !ok) fault(node, field.key, ok.error().message);
  }

  void unknown(const YAML::Node& node, const std::string& key) {
    const std::string near = closest(key, all_keys());
    fault(node,
          key,
          near.empty() ? say::unknown_setting({.key = key})
                       : say::unknown_setting_near({.key = key, .near = near}));
  }

  void fault(const YAML::Node& node, std::string_view key, Message message) {
    faults_.push_back({.pointer = std::string(key),
                       .message = std::move(message),
                       .code = "config",
                       .line = node.Mark().line + 1,
                       .column = node.Mark().column + 1});
  }

  Config& config_;
  std::vector<Fault> faults_;
};

}  // namespace

Result<void> read_text(Config& config, std::string_view yaml) {
  try {
    const YAML::Node root = YAML::Load(std::string(yaml));
    if (root.IsNull()) return {};
    if (!root.IsMap()) return fail(Errc::Invalid, say::settings_not_a_map());
    Reader reader(config);
    reader.section(root, "");
    return std::move(reader).done();
  } catch (const YAML::Exception& e) {
    return fail(Errc::Invalid,
                say::settings_not_yaml(
                    {.line = e.mark.line + 1, .column = e.mark.column + 1, .why = e.msg}));
  }
}

Result<void> read_file(Config& config, const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(Errc::NotFound, say::settings_unreadable({.path = path}));
  std::ostringstream text;
  text << file.rdbuf();
  if (auto ok = read_text(config, text.str()); !ok)
    return std::unexpected(std::move(ok).error().with_context(plain(path)));
  return {};
}

Result<void> set(Config& config, std::string_view key, std::string_view value) {
  const Field* field = find_field(key);
  if (field == nullptr) return fail(Errc::Invalid, say::unknown_setting({.key = key}));
  if (field->clear) field->clear(config);
  const auto parts = field->is_list || field->is_map ? split(value, ',')
                                                     : std::vector<std::string>{std::string(value)};
  for (const std::string& part : parts) {
    if (auto ok = field->set(config, part); !ok)
      return std::unexpected(std::move(ok).error().with_context(plain(key)));
  }
  return {};
}

Result<void> read_environment(Config& config, const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || !entry.starts_with("TRAINYARD_")) continue;
    std::string key;
    const std::string name = to_lower(std::string_view(entry).substr(10, equals - 10));
    for (std::size_t i = 0; i < name.size(); ++i) {
      const bool separator = name[i] == '_' && i + 1 < name.size() && name[i + 1] == '_';
      key += separator ? '.' : name[i];
      if (separator) ++i;
    }
    // A section's name in front means us; TRAINYARD_URL, TRAINYARD_TOKEN and a task's own variables
    // do not have one.
    const bool ours = find_field(key) != nullptr || key.find('.') != std::string::npos;
    if (!ours) continue;
    if (find_field(key) == nullptr) {
      return fail(Errc::Invalid,
                  within(plain(entry.substr(0, equals)), say::unknown_setting({.key = key})));
    }
    TY_DO(set(config, key, std::string_view(entry).substr(equals + 1)));
  }
  return {};
}

Result<void> finish(Config& config) {
  if (config.data_dir.empty()) {
    const char* xdg = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (xdg != nullptr && *xdg != '\0')
      config.data_dir = std::string(xdg) + "/trainyard";
    else if (home != nullptr && *home != '\0')
      config.data_dir = std::string(home) + "/.local/share/trainyard";
    else
      return fail(Errc::Invalid, say::no_home_directory());
  }
  if (config.http.threads < 1 || config.http.threads > 256) {
    return fail(Errc::Invalid, say::bad_thread_count());
  }
  if (config.tls.certificate.empty() != config.tls.key.empty()) {
    return fail(Errc::Invalid,
                config.tls.key.empty() ? say::tls_key_missing() : say::tls_certificate_missing());
  }
  if (config.tls.self_signed && !config.tls.certificate.empty())
    return fail(Errc::Invalid, say::tls_two_choices());
  const bool known = config.database == "sqlite" || config.database.starts_with("postgres://") ||
                     config.database.starts_with("postgresql://");
  if (!known) return fail(Errc::Invalid, say::bad_database());
  return {};
}

namespace {

/// What a setting takes, in Chinese; the kinds of fields.cc.
std::string_view kind_in_chinese(std::string_view kind) {
  static const std::map<std::string_view, std::string_view> words{{"path", "路径"},
                                                                  {"word or URL", "词或 URL"},
                                                                  {"word", "词"},
                                                                  {"host:port", "主机:端口"},
                                                                  {"number", "数"},
                                                                  {"duration", "时长"},
                                                                  {"size", "大小"},
                                                                  {"name", "名称"},
                                                                  {"list", "列表"},
                                                                  {"map", "映射"},
                                                                  {"address range", "地址段"},
                                                                  {"yes or no", "是或否"},
                                                                  {"image", "镜像"},
                                                                  {"folder", "文件夹"}};
  const auto found = words.find(kind);
  return found == words.end() ? kind : found->second;
}

constexpr std::string_view kEnglishHead = R"(# Settings

`trainyard serve --config FILE` reads YAML; `TRAINYARD_HTTP__LISTEN=…` overrides it, flags override both.
`trainyard serve --check-config` names every fault and starts nothing.

| Setting | Takes | Default | Meaning |
|---|---|---|---|
)";
constexpr std::string_view kChineseHead = R"(# 设置

`trainyard serve --config FILE` 读取 YAML；环境变量 `TRAINYARD_HTTP__LISTEN=…` 优先于文件，命令行参数优先于两者。
`trainyard serve --check-config` 指出所有错误，不启动服务。

| 设置 | 取值 | 默认 | 含义 |
|---|---|---|---|
)";

}  // namespace

std::string reference_page(Language language) {
  const bool english = language == Language::English;
  std::string page(english ? kEnglishHead : kChineseHead);
  const Config defaults;
  for (const Field& field : fields()) {
    const std::string value = field.get(defaults);
    page += fmt::format("| `{}` | {} | {} | {} |\n",
                        field.key,
                        english ? field.kind : kind_in_chinese(field.kind),
                        value.empty() ? "–" : "`" + value + "`",
                        english ? field.meaning.english : field.meaning.chinese);
  }
  return page;
}

}  // namespace ty::config
