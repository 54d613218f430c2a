#include "jobspec/native/fields.h"

namespace ty::jobspec::native {
namespace {

constexpr std::string_view kText = R"({"type":"string"})";
constexpr std::string_view kFlag = R"({"type":"boolean"})";
constexpr std::string_view kDuration = R"({"$ref":"#/definitions/duration"})";
constexpr std::string_view kSource = R"({"$ref":"#/definitions/source"})";
constexpr std::string_view kTextOrTexts =
    R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})";
constexpr std::string_view kCount = R"({"type":"integer","minimum":0})";

// Keys of inner maps belong to their map; the level says nothing here.
constexpr Level J = Level::Job;

constexpr Field kRetry[] = {
    {"count",
     J,
     "count: 3",
     R"({"type":"integer","minimum":-2})",
     "0",
     "Attempts after the first.",
     "首次之后的次数。"},
    {"on",
     J,
     "on: failure",
     R"({"enum":["failure","any","policy"]})",
     "`failure`",
     "`any` also retries what cannot get better by itself, `policy` leaves it to `policies`.",
     "`any` 连确定性错误也重试，`policy` 交给 `policies`。"},
    {"exit_codes",
     J,
     "exit_codes: [75]",
     R"({"type":"array","items":{"type":"integer","minimum":1,"maximum":255}})",
     "any",
     "Only after these.",
     "仅限这些退出码。"},
    {"backoff",
     J,
     "backoff: 1m",
     kDuration,
     "10s",
     "Wait before the first retry; doubles.",
     "首次重试前的等待，之后加倍。"},
    {"max_backoff", J, "max_backoff: 10m", kDuration, "10m", "Longest wait.", "最长等待。"},
};
constexpr Field kAlert[] = {
    {"on",
     J,
     "on: [failed, retried]",
     R"({"anyOf":[{"$ref":"#/definitions/alert_state"},{"type":"array","minItems":1,"items":{"$ref":"#/definitions/alert_state"}}]})",
     "",
     "`started succeeded failed cancelled retried`; `finished` is any end.",
     "状态；`finished` 表示任何结束。"},
    {"after", J, "after: 8h", kDuration, "", "After this running time.", "运行达到该时间后。"},
    {"at",
     J,
     "at: \"2026-11-15 08:00\"",
     R"({"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}$"})",
     "",
     "At this moment, in the server's zone, if the job has not ended.",
     "到达该时刻（服务器时区）而作业未结束时。"},
    {"every",
     J,
     "every: 1h",
     kDuration,
     "once",
     "Again and again, with `after` or `at`.",
     "重复间隔，与 `after` 或 `at` 一起用。"},
    {"to",
     J,
     "to: alice",
     kTextOrTexts,
     "the owner",
     "Users, mail addresses, https URLs.",
     "用户、邮箱或 https 地址。"},
    {"level",
     J,
     "level: major",
     R"({"enum":["critical","major","minor","warning","info"]})",
     "`warning`",
     "How urgent.",
     "紧急程度。"},
};
constexpr Field kMetric[] = {
    {"regex",
     J,
     "regex: 'loss=([0-9.]+)'",
     R"({"type":"string","maxLength":1024})",
     "",
     "The expression.",
     "正则表达式。"},
    {"group",
     J,
     "group: eval",
     kText,
     "none",
     "Charts of one group are drawn together.",
     "同组的曲线画在一起。"},
    {"window",
     J,
     "window: 4",
     R"({"type":"integer","minimum":1,"maximum":100})",
     "1",
     "Lines the expression may span.",
     "正则可跨越的行数。"},
};
constexpr Field kPolicy[] = {
    {"on",
     J,
     "on: task_failed",
     R"({"anyOf":[{"$ref":"#/definitions/event"},{"type":"array","minItems":1,"items":{"$ref":"#/definitions/event"}}]})",
     "",
     "Events.",
     "事件。"},
    {"exit_code",
     J,
     "exit_code: 75",
     R"({"type":"integer","not":{"const":0}})",
     "",
     "Instead of an event: a task's exit code.",
     "以任务退出码代替事件。"},
    {"do",
     J,
     "do: restart_job",
     R"({"enum":["restart_job","restart_role","restart_task","restart_partition","pause_job","resume_job","fail_job","succeed_job"]})",
     "",
     "The action.",
     "动作。"},
    {"delay", J, "delay: 1m", kDuration, "none", "Wait before it.", "执行前的等待。"},
};
constexpr Field kRunAs[] = {
    {"user", J, "user: alice", kText, "", "Name.", "用户名。"},
    {"uid",
     J,
     "uid: 1000",
     kCount,
     "the user's",
     "0 only where the site allows it.",
     "0 仅在站点允许时可用。"},
    {"gid", J, "gid: 1000", kCount, "the user's", "Group.", "用户组。"},
};
constexpr Field kImage[] = {
    {"name",
     J,
     "name: python:3.12",
     R"({"type":"string","maxLength":512})",
     "",
     "Reference.",
     "镜像名。"},
    {"auth",
     J,
     "auth: my-registry",
     kText,
     "none",
     "Name of stored credentials.",
     "已保存凭据的名称。"},
    {"pull",
     J,
     "pull: always",
     R"({"enum":["if_missing","always","never"]})",
     "`if_missing`; `always` for `latest` or no tag",
     "When to fetch it.",
     "何时拉取。"},
};
constexpr Field kGpu[] = {
    {"count",
     J,
     "count: 2",
     R"({"type":"integer","minimum":0,"maximum":1024})",
     "1",
     "How many.",
     "数量。"},
    {"type", J, "type: [V100, A100]", kTextOrTexts, "any", "Any of these.", "其中任一型号。"},
};
constexpr Field kPort[] = {
    {"first",
     J,
     "first: 6000",
     R"({"type":"integer","minimum":1,"maximum":65535})",
     "any",
     "First number.",
     "起始端口。"},
    {"count",
     J,
     "count: 2",
     R"({"type":"integer","minimum":1,"maximum":256})",
     "1",
     "How many in a row.",
     "连续个数。"},
};
constexpr Field kMount[] = {
    {"from", J, "from: storage:team/pile", kSource, "", "Source.", "来源。"},
    {"to",
     J,
     "to: /mnt/pile",
     R"({"type":"string","pattern":"^/"})",
     "`/code` for code",
     "Absolute target.",
     "绝对目标路径。"},
    {"read_only", J, "read_only: true", kFlag, "false", "No writing.", "只读。"},
};
constexpr Field kRestart[] = {
    {"count",
     J,
     "count: 2",
     R"({"type":"integer","minimum":-1})",
     "0",
     "Restarts of one task; -1 no limit.",
     "单个任务的重启次数；-1 不限。"},
    {"on",
     J,
     "on: failure",
     R"({"enum":["failure","any"]})",
     "`failure`",
     "`any` also after success.",
     "`any` 表示成功后也重启。"},
    {"lost",
     J,
     "lost: true",
     kFlag,
     "false",
     "A task lost by the platform starts again alone, uncounted.",
     "平台丢失的任务单独重启，不计次数。"},
};
constexpr Field kDone[] = {
    {"task",
     J,
     "task: 0",
     kCount,
     "",
     "The task whose success completes the role.",
     "该任务成功即角色完成。"},
};
constexpr Field kSku[] = {
    {"type", J, "type: V100", kText, "", "Type in the site's table.", "站点表中的型号。"},
    {"count",
     J,
     "count: 1",
     R"({"type":"integer","minimum":0,"maximum":1024})",
     "0",
     "How many.",
     "数量。"},
    {"pinned_cell",
     J,
     "pinned_cell: cell-1",
     kText,
     "none",
     "A reserved cell instead of a type.",
     "以预留单元代替型号。"},
    {"affinity_group",
     J,
     "affinity_group: g1",
     kText,
     "none",
     "Roles of one group are placed together.",
     "同组角色放置在一起。"},
};

constexpr Object kObjects[] = {
    {"retry", kRetry},
    {"alert", kAlert},
    {"metric", kMetric},
    {"policy", kPolicy},
    {"run_as", kRunAs},
    {"image", kImage},
    {"gpus", kGpu},
    {"port", kPort},
    {"mount", kMount},
    {"restart", kRestart},
    {"done", kDone},
    {"sku", kSku},
};

}  // namespace

std::span<const Field> retry_fields() { return kRetry; }
std::span<const Field> alert_fields() { return kAlert; }
std::span<const Field> metric_fields() { return kMetric; }
std::span<const Field> policy_fields() { return kPolicy; }
std::span<const Field> run_as_fields() { return kRunAs; }
std::span<const Field> image_fields() { return kImage; }
std::span<const Field> gpu_fields() { return kGpu; }
std::span<const Field> port_fields() { return kPort; }
std::span<const Field> mount_fields() { return kMount; }
std::span<const Field> restart_fields() { return kRestart; }
std::span<const Field> done_fields() { return kDone; }
std::span<const Field> sku_fields() { return kSku; }
std::span<const Object> objects() { return kObjects; }

}  // namespace ty::jobspec::native
