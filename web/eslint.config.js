import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// What may import what: app -> pages -> shared -> api. A page is a chunk of its own and knows no other page.
const app = {
  regex: "^@/app(/|$)",
  message: "only app/ may use app/; what others need as well belongs into shared/ or api/",
};
const pages = {
  regex: "^@/pages(/|$)",
  message: "a page is reached through the router only; what two pages need belongs into shared/",
};
const shared = { regex: "^@/shared(/|$)", message: "api/ stands below shared/" };
// Inside a folder imports are relative; those that leave it go by "@/", where the rules above see them.
const leaving = (depth) => ({ regex: `^(\\.\\./){${depth}}`, message: "write @/… for what lies in another folder" });
const http = {
  regex: "^@/api/client$",
  importNames: ["api", "fetchRaw", "fetchText"],
  message: "only api/ and a page's api.ts speak HTTP",
};

const imports = (...patterns) => ({ "no-restricted-imports": ["error", { patterns }] });
const noFetch = {
  "no-restricted-globals": [
    "error",
    { name: "fetch", message: http.message },
    { name: "XMLHttpRequest", message: http.message },
    { name: "EventSource", message: "api/events.ts follows the stream for the whole page" },
  ],
};

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "src/api/schema.d.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  ...tseslint.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "react-hooks/static-components": "error",
      "react-hooks/set-state-in-render": "error",
      "react-hooks/immutability": "error",
      "react-hooks/globals": "error",
      "react-hooks/purity": "error",
      "react-hooks/error-boundaries": "error",
      "react-hooks/use-memo": "error",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  { files: ["src/app/**"], rules: { ...imports(http), ...noFetch } },
  { files: ["src/pages/**"], rules: { ...imports(app, pages, http), ...noFetch } },
  { files: ["src/pages/*/*.{ts,tsx}"], rules: imports(app, pages, http, leaving(1)) },
  { files: ["src/pages/*/*/*.{ts,tsx}"], rules: imports(app, pages, http, leaving(2)) },
  { files: ["src/pages/*/api.ts"], rules: { ...imports(app, pages, leaving(1)), "no-restricted-globals": "off" } },
  { files: ["src/shared/**"], rules: { ...imports(app, pages, http), ...noFetch } },
  { files: ["src/api/**"], rules: imports(app, pages, shared) },
);
