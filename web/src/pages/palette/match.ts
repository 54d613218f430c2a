/** Words of the systems people come from, and ours for the same thing. */
export const synonyms: Record<string, string[]> = {
  jobs: ["训练任务", "任务", "作业", "job", "jobs", "trainjob", "model id", "vcjob", "任务列表", "zygl", "zy"],
  submit: ["提交", "新建", "创建", "submit", "create", "train", "run", "tjzy", "tj"],
  queue: [
    "队列",
    "虚拟集群",
    "集群",
    "命名空间",
    "namespace",
    "virtual cluster",
    "群组",
    "排队",
    "dl",
    "queue",
    "资源池",
  ],
  nodes: ["节点", "显卡", "gpu", "node", "nodes", "机器", "jd", "jdyxk", "硬件"],
  overview: ["概览", "首页", "home", "overview", "gl"],
  tokens: ["令牌", "token", "密钥", "key", "api", "fwlp", "sdk", "cli"],
  profile: ["个人", "密码", "password", "account", "profile", "grsz", "修改密码"],
  settings: ["设置", "配置", "settings", "config", "xtsz"],
  health: ["健康", "状态", "health", "version", "版本", "xtjk"],
};

/** How well a text answers a query: 0 not at all, higher is better. Letters may have others between them. */
export function score(text: string, query: string): number {
  const where = text.toLowerCase();
  const what = query.toLowerCase().trim();
  if (!what) return 1;
  if (where === what) return 100;
  if (where.startsWith(what)) return 80;
  const at = where.indexOf(what);
  if (at >= 0) return 60 - Math.min(20, at);
  let from = 0;
  for (const sign of what) {
    from = where.indexOf(sign, from) + 1;
    if (from === 0) return 0;
  }
  return what.length > 1 ? 10 : 0;
}

/** The best of several texts. */
export const best = (texts: string[], query: string): number => Math.max(0, ...texts.map((text) => score(text, query)));
