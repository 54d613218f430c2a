import { defineConfig } from "vite";

// Where `npm run dev` finds a server: `make dev` starts one there.
const server = process.env.TRAINYARD_URL ?? "http://127.0.0.1:8081";
const proxied = { target: server, changeOrigin: false };

export default defineConfig({
  html: { cspNonce: "@NONCE@" },
  esbuild: { jsx: "automatic" },
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  server: {
    proxy: { "/api": proxied, "/schema": proxied, "/healthz": proxied, "/readyz": proxied, "/metrics": proxied },
  },
  worker: { format: "es" },
  build: {
    target: ["chrome111", "edge111", "firefox114", "safari16.4"],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    // Data URLs would need a wider content policy than files do.
    assetsInlineLimit: 0,
    rollupOptions: {
      // Ant Design marks its files for frameworks that render on servers; it means nothing here.
      onwarn: (warning, warn) => (warning.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : warn(warning)),
      input: ["index.html", "signin.html"],
      output: {
        manualChunks(id) {
          // Vite's own loader of chunks belongs to everything; left alone it would move in with the editor.
          if (id.includes("vite/preload-helper") || id.includes("commonjsHelpers")) return "react";
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return "react";
          if (/node_modules\/monaco-editor\//.test(id) && !/worker/.test(id)) return "editor";
          return undefined;
        },
      },
    },
  },
  // A machine that builds beside the tests makes them slow, not wrong.
  test: { include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/testing/setup.ts"], testTimeout: 60_000 },
} as Parameters<typeof defineConfig>[0]);
