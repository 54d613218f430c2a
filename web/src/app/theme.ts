import { theme as antdTheme, type ThemeConfig } from "antd";
import type { ThemeName } from "@/shared/theme";

const fonts =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", sans-serif';
const mono =
  'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';

const palette = {
  light: {
    page: "#F5F6F8",
    card: "#FFFFFF",
    text: "#1F2329",
    second: "#4E5969",
    third: "#5F6B7A",
    border: "#D5DAE1",
    edge: "#8A94A3",
    raised: "#FFFFFF",
    primary: "#0A4FC4",
    onPrimary: "#FFFFFF",
    error: "#A8140C",
    warning: "#8F6200",
    success: "#00704A",
  },
  dark: {
    page: "#0F1114",
    card: "#17191D",
    text: "#E6E8EB",
    second: "#A9B1BC",
    third: "#A9B1BC",
    border: "#343A43",
    edge: "#6B7480",
    raised: "#1D2025",
    primary: "#8AB8FF",
    onPrimary: "#10131A",
    error: "#FF9A8F",
    warning: "#F2C04A",
    success: "#6FD6A8",
  },
  contrast: {
    page: "#FFFFFF",
    card: "#FFFFFF",
    text: "#000000",
    second: "#000000",
    third: "#1F2329",
    border: "#000000",
    edge: "#000000",
    raised: "#FFFFFF",
    primary: "#003A9B",
    onPrimary: "#FFFFFF",
    error: "#8A0F08",
    warning: "#6B4900",
    success: "#00563A",
  },
};

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Ant Design in our colours. shared/base.css holds the same values for what we draw ourselves. */
export function antdThemeFor(name: ThemeName, touch = false): ThemeConfig {
  const c = palette[name];
  return {
    algorithm: name === "dark" ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm,
    token: {
      fontFamily: fonts,
      fontFamilyCode: mono,
      fontSize: 14,
      borderRadius: 6,
      // A thumb needs 44 px; a mouse does not.
      ...(touch ? { controlHeight: 44, controlHeightSM: 36, controlHeightLG: 48 } : {}),
      colorPrimary: c.primary,
      colorLink: c.primary,
      colorInfo: c.primary,
      colorError: c.error,
      colorWarning: c.warning,
      colorSuccess: c.success,
      colorText: c.text,
      colorTextSecondary: c.second,
      colorTextTertiary: c.third,
      colorTextDescription: c.third,
      colorTextPlaceholder: c.third,
      colorTextQuaternary: c.third,
      colorBgLayout: c.page,
      colorBgContainer: c.card,
      colorBgElevated: c.raised,
      colorBorder: c.edge,
      colorBorderSecondary: c.border,
      // Not by style sheet alone: what waits for the end of a motion that never begins would stay half open.
      motion: !stillness.matches,
      motionDurationMid: "0.12s",
      motionDurationSlow: "0.2s",
    },
    components: {
      Button: {
        ...(name === "dark"
          ? { colorPrimary: c.primary, colorPrimaryHover: "#A8CAFF", colorPrimaryActive: "#6FA0EB" }
          : {}),
        primaryColor: c.onPrimary,
        dangerColor: name === "dark" ? "#10131A" : "#FFFFFF",
        primaryShadow: "none",
        defaultShadow: "none",
        dangerShadow: "none",
      },
    },
  };
}
