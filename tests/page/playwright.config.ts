import { defineConfig } from "@playwright/test";

// The page in a real browser against the real program. TRAINYARD_PROGRAM and CHROMIUM say which.
export default defineConfig({
  testDir: ".",
  outputDir: process.env.PAGE_RESULTS ?? "../../build/results/page",
  timeout: 90_000,
  expect: { timeout: 30_000 },
  fullyParallel: false,
  workers: 2,
  retries: process.env.CI ? 2 : 0, // a browser on a busy machine; what needed it is named in the report
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PAGE_JUNIT ? [["line"], ["junit", { outputFile: process.env.PAGE_JUNIT }]] : [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    locale: "zh-CN",
    timezoneId: "Asia/Shanghai",
    screenshot: "only-on-failure",
    // What still moves when it is clicked is hit beside its mark; people who ask for less motion get none.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      // Root has no sandbox to start in; the page is ours.
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    },
  },
});
