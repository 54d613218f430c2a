import { editor, KeyCode, KeyMod, languages, MarkerSeverity, Range } from "monaco-editor/editor";
import "monaco-editor/features/bracketMatching/register";
import "monaco-editor/features/clipboard/register";
import "monaco-editor/features/comment/register";
import "monaco-editor/features/find/register";
import "monaco-editor/features/folding/register";
import "monaco-editor/features/gotoError/register";
import "monaco-editor/features/hover/register";
import "monaco-editor/features/indentation/register";
import "monaco-editor/editor/contrib/suggest/browser/suggestController";
import "monaco-editor/features/toggleTabFocusMode/register";
import "monaco-editor/features/wordOperations/register";
import "monaco-editor/languages/definitions/yaml/register";
import EditorWorker from "monaco-editor/editor/editor.worker?worker";
import { jsonPlace, meaning, proposals, yamlPlace, type Place, type Schema } from "./complete";

// The editor's own worker only: the server reads job files, so no language service is shipped.
self.MonacoEnvironment = { getWorker: () => new EditorWorker() };

languages.register({ id: "json" });
languages.setMonarchTokensProvider("json", {
  tokenizer: {
    root: [
      [/\/\/.*$/, "comment"],
      [/\/\*/, "comment", "@comment"],
      [/"([^"\\]|\\.)*"(?=\s*:)/, "type"],
      [/"([^"\\]|\\.)*"/, "string"],
      [/-?\d+(\.\d+)?([eE][-+]?\d+)?/, "number"],
      [/\b(true|false|null)\b/, "keyword"],
      [/[{}[\],:]/, "delimiter"],
    ],
    comment: [
      [/\*\//, "comment", "@pop"],
      [/./, "comment"],
    ],
  },
});
languages.setLanguageConfiguration("json", {
  comments: { lineComment: "//", blockComment: ["/*", "*/"] },
  brackets: [
    ["{", "}"],
    ["[", "]"],
  ],
  autoClosingPairs: [
    { open: "{", close: "}" },
    { open: "[", close: "]" },
    { open: '"', close: '"' },
  ],
});

// The colours of the page, dark enough to be read: comments of the built-in themes are not.
editor.defineTheme("ty-light", {
  base: "vs",
  inherit: true,
  rules: [
    { token: "comment", foreground: "4E5969" },
    { token: "type", foreground: "0A4FC4" },
    { token: "string", foreground: "00704A" },
    { token: "string.yaml", foreground: "00704A" },
    { token: "type.yaml", foreground: "0A4FC4" },
    { token: "number.yaml", foreground: "7A3FA8" },
    { token: "number", foreground: "7A3FA8" },
    { token: "keyword", foreground: "8F6200" },
  ],
  colors: { "editor.background": "#FFFFFF", "editorLineNumber.foreground": "#5F6B7A" },
});
editor.defineTheme("ty-dark", {
  base: "vs-dark",
  inherit: true,
  rules: [
    { token: "comment", foreground: "A9B1BC" },
    { token: "type", foreground: "8AB8FF" },
    { token: "string", foreground: "6FD6A8" },
    { token: "number", foreground: "B18CFF" },
    { token: "keyword", foreground: "F2C04A" },
  ],
  colors: { "editor.background": "#17191D", "editorLineNumber.foreground": "#A9B1BC" },
});

/** What completion and hover know at this moment; there is one editor on a page. */
export const knowledge: { schema: Schema | null; language: "zh" | "en" } = { schema: null, language: "zh" };

function placeOf(model: editor.ITextModel, line: number, column: number): Place {
  if (model.getLanguageId() === "json")
    return jsonPlace(model.getValue(), model.getOffsetAt({ lineNumber: line, column }));
  return yamlPlace(model.getLinesContent(), line - 1, column - 1);
}

languages.registerCompletionItemProvider(["yaml", "json"], {
  triggerCharacters: [" ", '"'],
  provideCompletionItems(model, position) {
    if (!knowledge.schema) return { suggestions: [] };
    const place = placeOf(model, position.lineNumber, position.column);
    const word = model.getWordUntilPosition(position);
    const range = new Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn);
    const json = model.getLanguageId() === "json";
    const line = model.getLineContent(position.lineNumber);
    const inQuotes = json && line[word.startColumn - 2] === '"';
    const indent = /^[\s-]*/.exec(line)?.[0].replaceAll("-", " ") ?? "";
    const written = (one: { label: string; kind: string; opens?: boolean }) => {
      if (one.kind === "key") {
        if (json) return inQuotes ? one.label : `"${one.label}": `;
        return one.opens ? `${one.label}:\n${indent}  ` : `${one.label}: `;
      }
      return json && !inQuotes && !/^(true|false|null|-?\d+(\.\d+)?)$/.test(one.label) ? `"${one.label}"` : one.label;
    };
    return {
      suggestions: proposals(knowledge.schema, place, knowledge.language).map((one, order) => ({
        label: one.label,
        kind: one.kind === "key" ? languages.CompletionItemKind.Property : languages.CompletionItemKind.Value,
        documentation: one.detail,
        insertText: written(one),
        sortText: String(order).padStart(4, "0"),
        range,
      })),
    };
  },
});

languages.registerHoverProvider(["yaml", "json"], {
  provideHover(model, position) {
    if (!knowledge.schema) return null;
    const line = model.getLineContent(position.lineNumber);
    const colon = line.indexOf(":");
    if (colon < 0 || position.column > colon + 1) return null;
    const text = meaning(knowledge.schema, placeOf(model, position.lineNumber, colon + 3), knowledge.language);
    return text ? { contents: [{ value: text }] } : null;
  },
});

export { editor, KeyCode, KeyMod, MarkerSeverity };
