import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test as base, expect, type Page } from "@playwright/test";
import { Server } from "./server";

export { expect };

/** What the page remembers before it opens. */
export interface Choice {
  language?: "zh" | "en";
  theme?: "light" | "dark" | "contrast";
}

interface Shared {
  server: Server;
}
interface Own {
  /** A page signed in as the administrator, in Chinese and light unless told otherwise. */
  signedIn: Page;
  choice: Choice;
}

export const test = base.extend<Own, Shared>({
  server: [
    // Playwright wants an object pattern here, also an empty one.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const server = await new Server().start();
      await use(server);
      await server.destroy();
    },
    { scope: "worker" },
  ],
  choice: [{}, { option: true }],
  signedIn: async ({ page, server, choice }, use) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    // A refused request is logged by the browser itself; what our script says is a fault.
    page.on("console", (line) => {
      if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) faults.push(line.text());
    });
    await remember(page, choice);
    await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
    await use(page);
    expect(faults, "the page's own complaints").toEqual([]);
  },
});

export async function remember(page: Page, { language = "zh", theme = "light" }: Choice): Promise<void> {
  await page.context().addInitScript(
    ([lang, look]) => {
      // Once: what a test changes later must survive a reload.
      if (localStorage.getItem("ty.language")) return;
      localStorage.setItem("ty.language", lang);
      localStorage.setItem("ty.theme", look);
      localStorage.setItem("ty.later", "admin");
    },
    [language, theme] as const,
  );
}

const axeSource = readFileSync(createRequire(__filename).resolve("axe-core/axe.min.js"), "utf8");

/** Fails with every barrier axe finds on the page as it is now. */
export async function expectNoBarriers(page: Page, where: string): Promise<void> {
  // evaluate() is not bound by the page's content policy, unlike a script element.
  await page.evaluate(`if (!window.axe) { ${axeSource} }`);
  const found = await page.evaluate(async () => {
    // A dialog half faded in has the contrast of neither its beginning nor its end. A spinner never ends and is not waited for.
    const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map((one) => one.finished));
    const axe = (
      window as unknown as {
        axe: {
          run: (
            context: Document,
            options: object,
          ) => Promise<{
            violations: Array<{ id: string; help: string; nodes: Array<{ html: string; failureSummary: string }> }>;
          }>;
        };
      }
    ).axe;
    const { violations } = await axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.map(
      (one) =>
        `${one.id}: ${one.help}\n  ${one.nodes
          .slice(0, 4)
          .map((node) => `${node.html.slice(0, 200)}\n    ${node.failureSummary.replaceAll("\n", "\n    ")}`)
          .join("\n  ")}`,
    );
  });
  expect(found, where).toEqual([]);
}
