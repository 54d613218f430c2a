/** The sign-in page is small on purpose: it brings its own few words instead of a whole language. */
export const words = {
  zh: {
    title: "登录", user: "账号", password: "密码", show: "显示密码", hide: "隐藏密码", enter: "登录", entering: "正在登录…",
    caps: "大写锁定已打开", link: "正在用一次性链接登录…",
    wrong: "账号或密码不对。", later: "尝试太多次，请稍后再试。", used: "这个链接已经用过或已过期。请管理员再发一个。",
    offline: "连不上服务器。", other: "EN", otherName: "EN: switch to English", forgot: "忘记密码？请管理员发一个一次性登录链接。",
    theme: "切换深浅主题",
  },
  en: {
    title: "Sign in", user: "Account", password: "Password", show: "Show password", hide: "Hide password", enter: "Sign in", entering: "Signing in…",
    caps: "Caps Lock is on", link: "Signing in by one-time link…",
    wrong: "Account or password is wrong.", later: "Too many attempts. Try again later.", used: "This link was used already or has expired. Ask an administrator for another.",
    offline: "The server cannot be reached.", other: "中", otherName: "中：切换到中文", forgot: "Forgot it? Ask an administrator for a one-time sign-in link.",
    theme: "Switch between light and dark",
  },
};
export type Words = (typeof words)["zh"];
