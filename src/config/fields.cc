#include "config/fields.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "config/messages.h"

namespace ty::config {

namespace {

std::unexpected<Error> refuse(std::string_view value, Message what, std::string_view example) {
  return fail(Errc::Invalid,
              say::bad_setting_value(
                  {.value = shorten(value), .what = std::move(what), .example = example}));
}

Result<std::int64_t> whole_number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (ec != std::errc{} || end != text.data() + text.size() || n < 0)
    return refuse(text, say::kind_whole_number(), "2");
  return n;
}

/// `512MB`, `64GB`, `2T`: powers of 1024, as in job files.
Result<std::int64_t> size_in_bytes(std::string_view text) {
  std::string_view units = "KMGT";
  std::int64_t n = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (ec != std::errc{} || n < 0 || rest.empty()) return refuse(text, say::kind_size(), "64GB");
  const std::size_t unit = units.find(rest.front());
  rest.remove_prefix(1);
  if (unit == std::string_view::npos ||
      (rest != "" && rest != "B" && rest != "i" && rest != "iB")) {
    return refuse(text, say::kind_size(), "64GB");
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(n, std::int64_t{1} << (10 * (unit + 1)), &bytes))
    return refuse(text, say::kind_size(), "64GB");
  return bytes;
}

std::string size_text(std::int64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{40, "TB"}, {30, "GB"}, {20, "MB"}, {10, "KB"}}) {
    if (bytes != 0 && bytes % (std::int64_t{1} << shift) == 0)
      return std::to_string(bytes >> shift) + unit;
  }
  return std::to_string(bytes);
}

/// `10.210.0.0/16`; empty: none.
Result<std::string> address_range(std::string_view text) {
  if (text.empty()) return std::string();
  const auto parts = split(text, '/');
  const auto numbers = split(parts[0], '.');
  bool is_good = parts.size() == 2 && numbers.size() == 4;
  for (const std::string& number : numbers) {
    const auto n = whole_number(number);
    is_good = is_good && n && *n <= 255;
  }
  const auto bits = is_good ? whole_number(parts[1]) : Result<std::int64_t>(0);
  if (!is_good || !bits || *bits < 8 || *bits > 24)
    return refuse(text, say::kind_address_range(), "10.210.0.0/16");
  return std::string(text);
}

Result<bool> yes_or_no(std::string_view text) {
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  return refuse(text, say::kind_boolean(), "true");
}

/// `nofile=1024:2048` or `core=0`; -1 is no limit.
Result<std::string> ulimit(std::string_view text) {
  const std::size_t equals = text.find('=');
  bool is_good = equals != std::string_view::npos && equals > 0;
  if (is_good) {
    const auto numbers = split(text.substr(equals + 1), ':');
    is_good = numbers.size() <= 2;
    for (const std::string& number : numbers)
      is_good = is_good && (number == "-1" || whole_number(number));
  }
  if (!is_good) return refuse(text, say::kind_ulimit(), "nofile=65536:65536");
  return std::string(text);
}

template <class Member>
Field text(std::string_view key, std::string_view kind, Meaning meaning, Member member) {
  return {key,
          kind,
          meaning,
          [member](Config& c, std::string_view v) -> Result<void> {
            member(c) = std::string(v);
            return {};
          },
          [member](const Config& c) { return member(const_cast<Config&>(c)); }};
}

template <class Member>
Field choice(std::string_view key,
             std::vector<std::string_view> words,
             Meaning meaning,
             Member member) {
  Field field = text(key, "word", meaning, member);
  field.set = [member, words](Config& c, std::string_view v) -> Result<void> {
    if (std::ranges::find(words, v) == words.end()) {
      std::vector<std::string> all(words.begin(), words.end());
      return fail(Errc::Invalid, say::bad_setting_choice({.value = shorten(v), .choices = all}));
    }
    member(c) = std::string(v);
    return {};
  };
  return field;
}

template <class Member, class Parse, class Print>
Field parsed(std::string_view key,
             std::string_view kind,
             Meaning meaning,
             Member member,
             Parse parse,
             Print print) {
  return {key,
          kind,
          meaning,
          [member, parse](Config& c, std::string_view v) -> Result<void> {
            TY_TRY(member(c), parse(v));
            return {};
          },
          [member, print](const Config& c) { return print(member(const_cast<Config&>(c))); }};
}

template <class Member>
Field number(std::string_view key, Meaning meaning, Member member) {
  return parsed(key, "number", meaning, member, whole_number, [](std::int64_t n) {
    return std::to_string(n);
  });
}
template <class Member>
Field size(std::string_view key, Meaning meaning, Member member) {
  return parsed(key, "size", meaning, member, size_in_bytes, size_text);
}
template <class Member>
Field duration(std::string_view key, Meaning meaning, Member member) {
  return parsed(key, "duration", meaning, member, parse_duration, format_duration);
}
template <class Member>
Field optional_duration(std::string_view key, Meaning meaning, Member member) {
  return parsed(
      key, "duration", meaning, member, parse_duration, [](const std::optional<Seconds>& d) {
        return d ? format_duration(*d) : std::string();
      });
}

std::vector<Field> make_fields() {
  std::vector<Field> all;
  all.push_back(text("data_dir",
                     "path",
                     {"Where everything is kept.", "所有数据存放的位置。"},
                     [](Config& c) -> std::string& { return c.data_dir; }));
  all.push_back(text("database",
                     "word or URL",
                     {"`sqlite` (a file in the data directory) or `postgres://user@host/name`.",
                      "`sqlite`（数据目录里的一个文件）或 `postgres://user@host/name`。"},
                     [](Config& c) -> std::string& { return c.database; }));
  all.push_back(text("engine",
                     "word",
                     {"Where tasks run: `local` is this machine, `fake` only pretends.",
                      "任务在哪里运行：`local` 是本机，`fake` 只是模拟。"},
                     [](Config& c) -> std::string& { return c.engine; }));
  all.push_back(
      choice("runtime",
             {"auto", "docker", "oci", "process"},
             {"How the local engine runs them: in containers of `docker`, as a `process` of "
              "this machine, or `auto`: docker where it answers, else process.",
              "本机引擎怎样运行任务：`docker` 在容器里，`process` 是本机进程，`auto` 在 Docker "
              "可用时用 docker，否则用 process。"},
             [](Config& c) -> std::string& { return c.runtime; }));
  all.push_back(text("http.listen",
                     "host:port",
                     {"Address of the API and the page; port 0 means any free one.",
                      "接口和页面的地址；端口 0 表示任意空闲端口。"},
                     [](Config& c) -> std::string& { return c.http.listen; }));
  all.push_back(number("http.threads",
                       {"Threads that answer requests.", "应答请求的线程数。"},
                       [](Config& c) -> auto& { return c.http.threads; }));
  all.push_back(duration("http.idle",
                         {"A silent connection is closed after this.", "连接静默这么久之后关闭。"},
                         [](Config& c) -> auto& { return c.http.idle; }));
  all.push_back(size("http.max_upload",
                     {"Largest code archive.", "代码包的最大大小。"},
                     [](Config& c) -> auto& { return c.http.max_upload; }));
  all.push_back(
      {"http.hosts",
       "list",
       {"Host names by which the server is reached, `*.example.org` for all below one; requests "
        "for "
        "other names are refused. Addresses and `localhost` are always answered. Empty: any name, "
        "but only this machine's own when listening on a loopback address.",
        "访问服务器所用的主机名，`*.example.org` "
        "表示其下的所有名字；其他名字的请求会被拒绝。IP 地址和 `localhost` "
        "总会得到应答。为空：任意名字；监听回环地址时只有本机自己的名字。"},
       [](Config& c, std::string_view v) -> Result<void> {
         if (v.empty() || v.find_first_of("/: ") != std::string_view::npos)
           return refuse(v, say::kind_host_name(), "train.example.org");
         c.http.hosts.emplace_back(v);
         return {};
       },
       [](const Config& c) { return join(c.http.hosts, ","); },
       true,
       false,
       [](Config& c) { c.http.hosts.clear(); }});
  all.push_back(
      text("tls.certificate",
           "path",
           {"Certificate of the server in PEM, followed by those that lead to its root; the server "
            "then speaks https only. Read again when it changes.",
            "服务器的证书（PEM），其后是通往根证书的各级证书；此时服务器只使用 "
            "https。文件改变后会重新读取。"},
           [](Config& c) -> std::string& { return c.tls.certificate; }));
  all.push_back(
      text("tls.key",
           "path",
           {"Key of the certificate, in PEM and not encrypted.", "证书的密钥，PEM 格式，不加密。"},
           [](Config& c) -> std::string& { return c.tls.key; }));
  all.push_back(parsed(
      "tls.self_signed",
      "yes or no",
      {"Speak https with a certificate that the server makes for itself and keeps in `tls/` below "
       "the data directory; its fingerprint is printed at the start.",
       "使用 https，证书由服务器自己生成，保存在数据目录的 `tls/` 里；启动时打印它的指纹。"},
      [](Config& c) -> auto& { return c.tls.self_signed; },
      yes_or_no,
      [](bool is_set) { return std::string(is_set ? "true" : "false"); }));
  all.push_back(text("node.name",
                     "name",
                     {"Name of this machine in lists; its host name unless set.",
                      "本机在列表中的名称；不设置则为主机名。"},
                     [](Config& c) -> std::string& { return c.node.name; }));
  all.push_back(parsed(
      "node.cpus",
      "number",
      {"CPUs that jobs may use; all of them unless set. More than there are is allowed.",
       "作业可以使用的 CPU 数；不设置则为全部。可以多于实际数量。"},
      [](Config& c) -> auto& { return c.node.cpu_milli; },
      [](std::string_view v) -> Result<std::int64_t> {
        TY_TRY(const std::int64_t cpus, whole_number(v));
        if (cpus < 1 || cpus > 100'000) return refuse(v, say::kind_cpu_count(), "16");
        return cpus * 1000;
      },
      [](std::int64_t milli) {
        return milli == 0 ? std::string() : std::to_string(milli / 1000);
      }));
  all.push_back(size("node.memory",
                     {"Memory that jobs may use; what the machine has unless set.",
                      "作业可以使用的内存；不设置则为本机全部。"},
                     [](Config& c) -> auto& { return c.node.memory; }));
  all.push_back(
      {"node.gpus",
       "list",
       {"GPUs to offer instead of those the driver finds: `A100:8`, `A100:8/4` in NVLink "
        "groups of four, or `none`.",
        "代替驱动所发现的 GPU：`A100:8`；`A100:8/4` 表示每四块为一个 NVLink 组；或 `none`。"},
       [](Config& c, std::string_view v) -> Result<void> {
         c.node.gpus.emplace_back(v);
         return {};
       },
       [](const Config& c) { return join(c.node.gpus, ","); },
       true,
       false,
       [](Config& c) { c.node.gpus.clear(); }});
  all.push_back(
      {"node.labels",
       "map",
       {"Labels that `node_labels` of a job can ask for.", "作业的 `node_labels` 可以要求的标签。"},
       [](Config& c, std::string_view v) -> Result<void> {
         const std::size_t at = v.find('=');
         if (at == std::string_view::npos || at == 0) return refuse(v, say::kind_label(), "zone=a");
         c.node.labels[std::string(v.substr(0, at))] = std::string(v.substr(at + 1));
         return {};
       },
       [](const Config&) { return std::string(); },
       false,
       true,
       [](Config& c) { c.node.labels.clear(); }});
  all.push_back(text(
      "docker.socket",
      "path",
      {"Where Docker answers, or Podman's compatible service; empty: Docker's usual place, or "
       "Podman's where only that is there.",
       "Docker 或 Podman 兼容服务的地址；为空则用 Docker 的默认位置，只有 Podman 时用 Podman 的。"},
      [](Config& c) -> std::string& { return c.docker.socket; }));
  all.push_back(parsed(
      "docker.subnets",
      "address range",
      {"Every job gets a network of its own, a /24 out of this range; Docker chooses if it is "
       "empty.",
       "每个作业有自己的网络，取自这个地址段的一个 /24；为空则由 Docker 选择。"},
      [](Config& c) -> auto& { return c.docker.subnets; },
      address_range,
      [](const std::string& range) { return range; }));
  all.push_back(parsed(
      "docker.host_network",
      "yes or no",
      {"Whether jobs may use the machine's own network, as `network: host` asks for.",
       "作业能否按 `network: host` 的要求使用本机网络。"},
      [](Config& c) -> auto& { return c.docker.host_network; },
      yes_or_no,
      [](bool is_set) { return std::string(is_set ? "true" : "false"); }));
  all.push_back({"docker.ulimits",
                 "list",
                 {"Limits of every container, as `nofile=65536:65536`.",
                  "每个容器的限制，例如 `nofile=65536:65536`。"},
                 [](Config& c, std::string_view v) -> Result<void> {
                   TY_TRY(std::string limit, ulimit(v));
                   c.docker.ulimits.push_back(std::move(limit));
                   return {};
                 },
                 [](const Config& c) { return join(c.docker.ulimits, ","); },
                 true,
                 false,
                 [](Config& c) { c.docker.ulimits.clear(); }});
  all.push_back(duration("docker.pull_patience",
                         {"A pull that makes no progress for so long has failed.",
                          "拉取镜像这么久没有进展即视为失败。"},
                         [](Config& c) -> auto& { return c.docker.pull_patience; }));
  all.push_back(text("jobs.default_image",
                     "image",
                     {"Image of tasks that name none, where tasks run in images.",
                      "任务在镜像中运行而又没有指定镜像时所用的镜像。"},
                     [](Config& c) -> std::string& { return c.jobs.default_image; }));
  all.push_back(optional_duration("jobs.max_time_limit",
                                  {"No job may run longer, whatever it asks for.",
                                   "任何作业的运行时间都不能超过它，无论作业要求多少。"},
                                  [](Config& c) -> auto& { return c.jobs.max_time_limit; }));
  all.push_back(duration("jobs.max_debug_hold",
                         {"Longest time a failed task may keep its resources for debugging.",
                          "失败的任务为调试保留资源的最长时间。"},
                         [](Config& c) -> auto& { return c.jobs.max_debug_hold; }));
  all.push_back(duration(
      "jobs.gang_timeout",
      {"All tasks of a gang must have started after this.", "成组任务必须在这段时间内全部启动。"},
      [](Config& c) -> auto& { return c.jobs.gang_timeout; }));
  all.push_back({"jobs.allowed_caps",
                 "list",
                 {"Capabilities that jobs may ask for: `ptrace`, `ipc_lock`, `sys_admin`, "
                  "`net_admin`; `none` "
                  "for none. Whoever may ask for `sys_admin` can become root on the machine.",
                  "作业可以要求的权限：`ptrace`、`ipc_lock`、`sys_admin`、`net_admin`；`none` "
                  "表示都不允许。能要求 "
                  "`sys_admin` 的人可以成为机器的 root。"},
                 [](Config& c, std::string_view v) -> Result<void> {
                   constexpr std::string_view kCaps[] = {
                       "ptrace", "ipc_lock", "sys_admin", "net_admin"};
                   if (v == "none") return {};
                   if (std::ranges::find(kCaps, v) == std::end(kCaps)) {
                     std::vector<std::string> all(std::begin(kCaps), std::end(kCaps));
                     all.emplace_back("none");
                     return fail(Errc::Invalid,
                                 say::bad_setting_choice({.value = shorten(v), .choices = all}));
                   }
                   c.jobs.allowed_caps.emplace_back(v);
                   return {};
                 },
                 [](const Config& c) { return join(c.jobs.allowed_caps, ","); },
                 true,
                 false,
                 [](Config& c) { c.jobs.allowed_caps.clear(); }});
  all.push_back(parsed(
      "jobs.allow_root",
      "yes or no",
      {"Whether `run_as` of a job may name root, as user or group. Images whose own user is root "
       "run without it.",
       "作业的 `run_as` 能否写 root（用户或组）。镜像自己的用户是 root 时不需要它。"},
      [](Config& c) -> auto& { return c.jobs.allow_root; },
      yes_or_no,
      [](bool is_set) { return std::string(is_set ? "true" : "false"); }));
  all.push_back(
      {"jobs.allowed_users",
       "list",
       {"Users of this machine that `run_as` may name where tasks are its processes: `alice`, "
        "`1000`, with a group `1000:100`. In containers other users than root need no permission.",
        "任务是本机进程时 `run_as` 可以写的本机用户：`alice`、`1000`，带组则写 `1000:100`。"
        "在容器里，root 以外的用户不需要许可。"},
       [](Config& c, std::string_view v) -> Result<void> {
         if (v.empty() || v.find_first_of(" /") != std::string_view::npos)
           return refuse(v, say::kind_user(), "alice");
         c.jobs.allowed_users.emplace_back(v);
         return {};
       },
       [](const Config& c) { return join(c.jobs.allowed_users, ","); },
       true,
       false,
       [](Config& c) { c.jobs.allowed_users.clear(); }});
  all.push_back(number(
      "jobs.max_waiting_per_user",
      {"So many jobs of one person may wait or be paused; further ones are refused. 0: no limit. "
       "Administrators have none.",
       "一个人最多可以有这么多排队或暂停的作业，再提交会被拒绝。0 表示不限。管理员不受限制。"},
      [](Config& c) -> auto& { return c.jobs.max_waiting_per_user; }));
  all.push_back(
      {"jobs.host_folders",
       "list",
       {"Folders of this machine that jobs may mount, with all that is below them: data and "
        "results of FfDL and OpenPAI jobs, host paths of Volcano Jobs.",
        "作业可以挂载的本机文件夹，包括其下的全部内容：FfDL 和 OpenPAI 作业的数据与结果，Volcano "
        "Job 的主机路径。"},
       [](Config& c, std::string_view v) -> Result<void> {
         if (!v.starts_with('/')) return refuse(v, say::kind_folder(), "/data");
         c.jobs.host_folders.emplace_back(v);
         return {};
       },
       [](const Config& c) { return join(c.jobs.host_folders, ","); },
       true,
       false,
       [](Config& c) { c.jobs.host_folders.clear(); }});
  all.push_back(
      {"jobs.object_stores",
       "list",
       {"Addresses of object stores (S3) whose buckets FfDL jobs may use; the server itself "
        "connects to them. `*`: any address.",
        "FfDL 作业可以使用其存储桶的对象存储（S3）地址，由服务器自己连接。`*` 表示任意地址。"},
       [](Config& c, std::string_view v) -> Result<void> {
         if (v != "*" && !v.starts_with("http://") && !v.starts_with("https://"))
           return refuse(v, say::kind_address(), "https://s3.example.org");
         c.jobs.object_stores.emplace_back(v);
         return {};
       },
       [](const Config& c) { return join(c.jobs.object_stores, ","); },
       true,
       false,
       [](Config& c) { c.jobs.object_stores.clear(); }});
  all.push_back(
      {"jobs.resource_specs",
       "map",
       {"What Pumpkin jobs ask for by id, as `gpu1: \"cpus: 4; memory: 16GB; "
        "gpus: A100:1\"`.",
        "南瓜作业按编号要求的资源规格，例如 `gpu1: \"cpus: 4; memory: 16GB; gpus: A100:1\"`。"},
       [](Config& c, std::string_view v) -> Result<void> {
         const std::size_t at = v.find('=');
         if (at == std::string_view::npos || at == 0)
           return refuse(v, say::kind_resource_spec(), "small=cpus: 1; memory: 2GB");
         c.jobs.resource_specs[std::string(v.substr(0, at))] = std::string(v.substr(at + 1));
         return {};
       },
       [](const Config&) { return std::string(); },
       false,
       true,
       [](Config& c) { c.jobs.resource_specs.clear(); }});
  const auto size_or_none = [](const std::optional<std::int64_t>& n) {
    return n ? size_text(*n) : std::string();
  };
  all.push_back(parsed(
      "jobs.log_limit",
      "size",
      {"So much is kept of the log of one task; its last line says so, and the task runs on.",
       "单个任务的日志最多保留这么多；日志最后一行会说明，任务继续运行。"},
      [](Config& c) -> auto& { return c.jobs.log_limit; },
      size_in_bytes,
      size_or_none));
  all.push_back(parsed(
      "jobs.disk_limit",
      "size",
      {"A job whose outputs and run folders have more than this on the disk is ended; measured "
       "every "
       "few seconds. No limit unless set.",
       "作业的输出和运行目录在磁盘上超过它时，作业被终止；每隔几秒测量一次。不设置则不限制。"},
      [](Config& c) -> auto& { return c.jobs.disk_limit; },
      size_in_bytes,
      size_or_none));
  all.push_back(text("jobs.storage",
                     "folder",
                     {"Root of the site's shared folders: each folder in it is a storage that jobs "
                      "can mount; `storage` in the data directory unless set.",
                      "站点共享文件夹的根：其中每个文件夹都是作业可以挂载的存储；不设置则为数据目录"
                      "里的 `storage`。"},
                     [](Config& c) -> std::string& { return c.jobs.storage; }));
  all.push_back(
      size("storage.reserve",
           {"Disk space below the data directory that is set aside for the server: a part of it is "
            "given to the database beforehand, and with less than this left nothing new is taken "
            "in or started. At most a twentieth of the file system.",
            "数据目录所在磁盘为服务器预留的空间：其中一部分预先分配给数据库；剩余空间少于它时，"
            "不再接受、也不再启动新的作业。最多为文件系统的二十分之一。"},
           [](Config& c) -> auto& { return c.storage.reserve; }));
  all.push_back(duration(
      "logs.compress_after",
      {"Logs are compressed so long after their task ended.", "任务结束这么久之后压缩日志。"},
      [](Config& c) -> auto& { return c.logs.compress_after; }));
  all.push_back(optional_duration("logs.keep",
                                  {"Logs older than this are removed; for ever unless set.",
                                   "早于此的日志会被删除；不设置则永久保留。"},
                                  [](Config& c) -> auto& { return c.logs.keep; }));
  all.push_back(parsed(
      "logs.max_total",
      "size",
      {"The oldest logs go when all of them are larger than this.",
       "日志总量超过它时，最旧的先删除。"},
      [](Config& c) -> auto& { return c.logs.max_total; },
      size_in_bytes,
      [](const std::optional<std::int64_t>& n) { return n ? size_text(*n) : std::string(); }));
  all.push_back(duration("auth.session",
                         {"A browser stays signed in so long.", "浏览器保持登录的时间。"},
                         [](Config& c) -> auto& { return c.auth.session; }));
  all.push_back(
      duration("auth.sign_in_link",
               {"A one-time sign-in link is good for so long.", "一次性登录链接的有效时间。"},
               [](Config& c) -> auto& { return c.auth.sign_in_link; }));
  all.push_back(
      choice("log.level",
             {"debug", "info", "warn", "error"},
             {"Least level that the server's own log shows.", "服务器自身日志显示的最低级别。"},
             [](Config& c) -> std::string& { return c.log.level; }));
  all.push_back(choice("log.format",
                       {"text", "json"},
                       {"Lines for people or JSON lines.", "给人看的文本行，或 JSON 行。"},
                       [](Config& c) -> std::string& { return c.log.format; }));
  return all;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = make_fields();
  return all;
}

const Field* find_field(std::string_view key) {
  const auto at = std::ranges::find(fields(), key, &Field::key);
  return at == fields().end() ? nullptr : &*at;
}

}  // namespace ty::config
