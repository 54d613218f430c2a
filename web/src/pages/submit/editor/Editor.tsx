import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import { useTranslation } from "react-i18next";
import type { Issue } from "@/api/client";
import { useTheme } from "@/shared/theme";
import { useSaid } from "@/shared/messages";
import { looksLikeJson } from "../job_file";
import { isError } from "../faults";
import type { Schema } from "./complete";
import { editor, KeyCode, KeyMod, knowledge, MarkerSeverity } from "./monaco";

export interface EditorHandle {
  goTo: (line: number, column: number) => void;
}

interface Props {
  ref?: Ref<EditorHandle>;
  text: string;
  label: string;
  issues: Issue[];
  schema: Schema | null;
  onText: (text: string) => void;
  onSubmit: () => void;
}

const themes = { light: "ty-light", dark: "ty-dark", contrast: "hc-light" };

/** The job file as text, with its faults where they are. */
export default function Editor({ ref, text, label, issues, schema, onText, onSubmit }: Props) {
  const { i18n } = useTranslation("submit");
  const said = useSaid();
  const { name } = useTheme();
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<editor.IStandaloneCodeEditor>(null);
  const listeners = useRef({ onText, onSubmit });
  listeners.current = { onText, onSubmit };
  const told = useRef(text);
  // Typing is faster than drawing: a text that comes back late is ours and must not replace what was typed since.
  const onTheWay = useRef(new Set<string>());

  useEffect(() => {
    if (!host.current) return undefined;
    const one = editor.create(host.current, {
      value: told.current,
      language: looksLikeJson(told.current) ? "json" : "yaml",
      automaticLayout: true,
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      fontSize: 13,
      lineHeight: 20,
      fontFamily:
        'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace',
      tabSize: 2,
      insertSpaces: true,
      detectIndentation: false,
      renderLineHighlight: "line",
      lineNumbersMinChars: 3,
      overviewRulerLanes: 0,
      wordWrap: "on",
      fixedOverflowWidgets: true,
      padding: { top: 10, bottom: 10 },
      quickSuggestions: { other: true, comments: false, strings: true },
      suggest: { showWords: false },
      acceptSuggestionOnEnter: "smart",
      ariaLabel: label,
      contextmenu: false,
      accessibilitySupport: "auto",
    });
    made.current = one;
    one.addCommand(KeyMod.CtrlCmd | KeyCode.Enter, () => listeners.current.onSubmit());
    const change = one.onDidChangeModelContent(() => {
      const now = one.getValue();
      if (now === told.current) return;
      told.current = now;
      onTheWay.current.add(now);
      listeners.current.onText(now);
    });
    return () => {
      change.dispose();
      one.getModel()?.dispose();
      one.dispose();
      made.current = null;
    };
    // The label is set again below whenever it changes.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => made.current?.updateOptions({ ariaLabel: label }), [label]);
  useEffect(() => editor.setTheme(themes[name]), [name]);
  useEffect(() => {
    knowledge.schema = schema;
    knowledge.language = i18n.language === "en" ? "en" : "zh";
  }, [schema, i18n.language]);
  useEffect(() => {
    const model = made.current?.getModel();
    if (!model) return;
    if (text === told.current) onTheWay.current.clear();
    else if (!onTheWay.current.has(text)) {
      told.current = text;
      // As one edit, so that undo brings the earlier text back.
      model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
    }
    const language = looksLikeJson(text) ? "json" : "yaml";
    if (model.getLanguageId() !== language) editor.setModelLanguage(model, language);
  }, [text]);
  useEffect(() => {
    const model = made.current?.getModel();
    if (!model) return;
    editor.setModelMarkers(
      model,
      "server",
      issues.map((issue) => {
        const line = Math.min(Math.max(issue.line, 1), model.getLineCount());
        const column = Math.max(issue.column, 1);
        const word = model.getWordAtPosition({ lineNumber: line, column });
        return {
          severity: isError(issue) ? MarkerSeverity.Error : MarkerSeverity.Warning,
          message: said(issue),
          startLineNumber: line,
          startColumn: column,
          endLineNumber: line,
          endColumn: word ? word.endColumn : Math.max(column + 1, model.getLineMaxColumn(line)),
        };
      }),
    );
  }, [issues, said]);
  useImperativeHandle(ref, () => ({
    goTo(line, column) {
      made.current?.revealLineInCenter(line);
      made.current?.setPosition({ lineNumber: line, column });
      made.current?.focus();
    },
  }));
  return <div ref={host} className="editor-host" />;
}
