import { AutoComplete, Button, Input, InputNumber, Select } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Issue } from "@/api/client";
import { useMe } from "@/api/session";
import { Icon } from "@/shared/ui/Icon";
import { useSaid } from "@/shared/messages";
import { faultsAt } from "./faults";
import { Field, TextField } from "./Field";
import { roleKeys, valueAt, withoutRole, withRole, withRoleName, withValue, type JobFile, type Path } from "./job_file";
import { PairRows } from "./Rows";
import { RoleForm } from "./RoleForm";
import { readPairs, readTags, writeNumberOrWord, writePairs, writeTags } from "./values";

/** Keys the basic form shows, and those only the professional one does. The rest is the editor's. */
const basicJob = ["trainyard", "name", "description", "workspace", "labels", "time_limit", "roles"];
const professionalJob = [
  "priority",
  "retry",
  "params",
  "secrets",
  "hold_on_failure",
  "gang",
  "max_wait",
  "stop_grace",
  "ssh",
  "tensorboard",
];
const basicRole = ["run", "image", "gpus", "cpus", "shm", "ports", "code"];
const professionalRole = [
  "count",
  "memory",
  "args",
  "env",
  "mounts",
  "data",
  "model",
  "output",
  "min_count",
  "main",
  "restart",
  "fail_when",
  "done_when",
  "workdir",
  "node_labels",
  "task_limit",
  "network",
];

/** What is set but not on the screen: in professional mode, and in the editor only. */
export function hiddenKeys(file: JobFile, professional: boolean): { professional: string[]; editor: string[] } {
  const found = { professional: [] as string[], editor: [] as string[] };
  const look = (keys: string[], where: string, basic: string[], more: string[]) => {
    for (const key of keys) {
      if (basic.includes(key)) continue;
      if (!more.includes(key)) found.editor.push(where + key);
      else if (!professional) found.professional.push(where + key);
    }
  };
  look(Object.keys(file.value ?? {}), "", [...basicJob, ...basicRole], [...professionalJob, ...professionalRole]);
  for (const role of file.roles) {
    if (role.at.length === 0) continue;
    const values = valueAt(file, role.at);
    if (typeof values === "object" && values) look(Object.keys(values), `${role.name}.`, basicRole, professionalRole);
  }
  return found;
}

const limits = ["1h", "4h", "12h", "1d", "3d", "7d"];

interface Props {
  file: JobFile;
  issues: Issue[];
  professional: boolean;
  gpuTypes: string[];
  images: string[];
  onText: (text: string) => void;
  onProfessional: () => void;
  onEditor: () => void;
}

/** The job in fields. Every field is one place in the file; what has no field is left as it is. */
export function JobForm({ file, issues, professional, gpuTypes, images, onText, onProfessional, onEditor }: Props) {
  const { t } = useTranslation("submit");
  const me = useMe();
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, file.roles.length - 1);
  const role = file.roles[at];
  const set = (path: Path, value: unknown) => onText(withValue(file.text, path, value));
  const said = useSaid();
  const faults = (...path: string[]) => faultsAt(said, issues, path);
  const hidden = hiddenKeys(file, professional);
  const rolePresets: Array<[string, Record<string, unknown>]> = [
    ["worker", { count: 2, run: "echo $RANK of $WORLD_SIZE" }],
    ["ps", { run: "sleep infinity" }],
    ["evaluator", { run: "echo" }],
  ];
  const add = () => {
    const names = file.roles.map((one) => one.name);
    const [name, values] = rolePresets.find(([preset]) => !names.includes(preset)) ?? [
      `role-${names.length + 1}`,
      { run: "echo" },
    ];
    onText(withRole(file.text, name, values));
    setChosen(file.roles.length);
  };
  return (
    <div className="submit-form">
      <section className="card form-card" aria-labelledby="basic-settings">
        <h2 id="basic-settings">{t("basic_settings")}</h2>
        <div className="fields">
          <TextField
            label={t("name")}
            hint={t("name_hint")}
            required
            value={valueAt(file, ["name"])}
            faults={faults("name")}
            onChange={(value) => set(["name"], value)}
          />
          <Field label={t("workspace")} faults={faults("workspace")}>
            {(parts) => (
              <Select
                {...parts}
                value={(valueAt(file, ["workspace"]) as string) ?? "default"}
                options={[
                  ...new Set([
                    "default",
                    ...me.workspaces.map((workspace) => workspace.name),
                    String(valueAt(file, ["workspace"]) ?? "default"),
                  ]),
                ].map((name) => ({ value: name, label: name }))}
                onChange={(value) => set(["workspace"], value === "default" ? undefined : value)}
              />
            )}
          </Field>
          <Field label={t("time_limit")} hint={t("time_limit_hint")} faults={faults("time_limit")}>
            {(parts) => (
              <AutoComplete
                {...parts}
                allowClear
                placeholder={t("no_limit")}
                value={String(valueAt(file, ["time_limit"]) ?? "")}
                options={limits.map((value) => ({ value }))}
                onChange={(value: string) => set(["time_limit"], writeNumberOrWord(value ?? ""))}
              />
            )}
          </Field>
          <Tags
            value={valueAt(file, ["labels"])}
            faults={faults("labels")}
            onChange={(value) => set(["labels"], value)}
          />
          <TextField
            label={t("description")}
            wide
            rows={1}
            value={valueAt(file, ["description"])}
            faults={faults("description")}
            onChange={(value) => set(["description"], value)}
          />
        </div>
      </section>

      <section className="card form-card" aria-labelledby="task-settings">
        <h2 id="task-settings">{t("task_settings")}</h2>
        <div className="role-bar">
          <div className="segments" role="group" aria-label={t("roles")}>
            {file.roles.map((one, index) => (
              <button key={one.name} type="button" aria-pressed={index === at} onClick={() => setChosen(index)}>
                {one.name}
              </button>
            ))}
          </div>
          <Button icon={<Icon name="plus" size={14} />} onClick={add}>
            {t("add_role")}
          </Button>
          {file.roles.length > 1 && role && (
            <Button size="small" danger type="text" onClick={() => onText(withoutRole(file.text, role.name))}>
              {t("remove_role", { name: role.name })}
            </Button>
          )}
        </div>
        {file.roles.length === 0 && <p className="fault">{t("no_role")}</p>}
        {role && (
          <>
            {(professional || file.roles.length > 1) && (
              <div className="fields">
                <RoleName
                  key={role.name}
                  name={role.name}
                  taken={file.roles.map((one) => one.name)}
                  onName={(name) => onText(withRoleName(file.text, role.name, name))}
                />
                <Field label={t("count")} hint={t("count_hint")} faults={faults(...role.at.map(String), "count")}>
                  {(parts) => (
                    <InputNumber
                      {...parts}
                      min={1}
                      max={10000}
                      precision={0}
                      value={Number(valueAt(file, [...role.at, "count"]) ?? 1)}
                      onChange={(value) => set([...role.at, "count"], !value || value === 1 ? undefined : value)}
                    />
                  )}
                </Field>
              </div>
            )}
            <RoleForm
              key={`${role.name}-fields`}
              file={file}
              role={role}
              issues={issues}
              professional={professional}
              gpuTypes={gpuTypes}
              images={images}
              set={set}
            />
          </>
        )}
      </section>

      {professional && (
        <section className="card form-card" aria-labelledby="job-settings">
          <h2 id="job-settings">{t("job_settings")}</h2>
          <div className="fields">
            <Field label={t("priority")} hint={t("priority_hint")} faults={faults("priority")}>
              {(parts) => (
                <Select
                  {...parts}
                  value={String(valueAt(file, ["priority"]) ?? "normal")}
                  options={[
                    ...new Set(["low", "normal", "high", "urgent", String(valueAt(file, ["priority"]) ?? "normal")]),
                  ].map((value) => ({
                    value,
                    label: t(`priorities.${value}`, { defaultValue: value }),
                    disabled: value === "urgent" && !me.administrator,
                  }))}
                  onChange={(value) => set(["priority"], value === "normal" ? undefined : value)}
                />
              )}
            </Field>
            <TextField
              label={t("retry")}
              hint={t("retry_hint")}
              value={typeof valueAt(file, ["retry"]) === "object" ? t("in_editor") : valueAt(file, ["retry"])}
              mean={writeNumberOrWord}
              faults={faults("retry")}
              onChange={(value) => set(["retry"], value)}
              placeholder="0"
            />
            <TextField
              label={t("hold")}
              hint={t("hold_hint")}
              value={valueAt(file, ["hold_on_failure"])}
              faults={faults("hold_on_failure")}
              onChange={(value) => set(["hold_on_failure"], value)}
              placeholder={t("duration_example")}
            />
            <TextField
              label={t("max_wait")}
              hint={t("max_wait_hint")}
              value={valueAt(file, ["max_wait"])}
              faults={faults("max_wait")}
              onChange={(value) => set(["max_wait"], value)}
              placeholder={t("duration_example")}
            />
            <Field label={t("gang")} hint={t("gang_hint")} faults={faults("gang")}>
              {(parts) => (
                <Select
                  {...parts}
                  value={String(valueAt(file, ["gang"]) ?? "true")}
                  options={[...new Set(["true", "false", String(valueAt(file, ["gang"]) ?? "true")])].map((value) => ({
                    value,
                    label: t(`gangs.${value}`, { defaultValue: value }),
                  }))}
                  onChange={(value) =>
                    set(["gang"], value === "true" ? undefined : value === "false" ? false : Number(value))
                  }
                />
              )}
            </Field>
            <TextField
              label={t("stop_grace")}
              hint={t("stop_grace_hint")}
              value={valueAt(file, ["stop_grace"])}
              faults={faults("stop_grace")}
              onChange={(value) => set(["stop_grace"], value)}
              placeholder="30s"
            />
            <PairRows
              label={t("params")}
              hint={t("params_hint", { example: "${{ lr }}" })}
              add={t("add_param")}
              names={[t("param_name"), t("value")]}
              value={valueAt(file, ["params"])}
              read={readPairs}
              write={writePairs}
              faults={faults("params")}
              onChange={(value) => set(["params"], value)}
            />
            <PairRows
              label={t("secrets")}
              hint={t("secrets_hint")}
              add={t("add_secret")}
              names={[t("variable"), t("secret_name")]}
              value={valueAt(file, ["secrets"])}
              read={readPairs}
              write={(rows) =>
                writeTags(rows.map((row) => (row.value ? `${row.key}=${row.value}` : row.key)).filter(Boolean))
              }
              faults={faults("secrets")}
              onChange={(value) => set(["secrets"], value)}
            />
          </div>
        </section>
      )}

      {hidden.professional.length > 0 && (
        <p className="form-note">
          {t("hidden_professional", { count: hidden.professional.length })}{" "}
          <span className="quiet">{hidden.professional.join(", ")}</span>{" "}
          <button type="button" className="link-button" onClick={onProfessional}>
            {t("show")}
          </button>
        </p>
      )}
      {hidden.editor.length > 0 && (
        <p className="form-note">
          {t("only_in_editor")} <span className="mono">{hidden.editor.join(", ")}</span>{" "}
          <button type="button" className="link-button" onClick={onEditor}>
            {t("show")}
          </button>
        </p>
      )}
    </div>
  );
}

function RoleName({ name, taken, onName }: { name: string; taken: string[]; onName: (name: string) => void }) {
  const { t } = useTranslation("submit");
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const clean = text.trim();
  const twice = clean !== name && taken.includes(clean);
  const commit = () => {
    if (clean && !twice && clean !== name && !roleKeys.includes(clean)) onName(clean);
    else if (!clean) setText(name);
  };
  return (
    <Field label={t("role_name")} faults={twice ? [t("role_twice")] : []}>
      {(parts) => (
        <Input
          {...parts}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onPressEnter={commit}
        />
      )}
    </Field>
  );
}

function Tags({ value, faults, onChange }: { value: unknown; faults: string[]; onChange: (value: unknown) => void }) {
  const { t } = useTranslation("submit");
  const tags = readTags(value);
  return (
    <Field label={t("tags")} hint={t("tags_hint")} faults={faults}>
      {(parts) => (
        <Select
          {...parts}
          mode="tags"
          open={false}
          suffixIcon={null}
          tokenSeparators={[",", " "]}
          disabled={tags === null}
          value={tags ?? []}
          onChange={(next: string[]) => onChange(writeTags(next))}
        />
      )}
    </Field>
  );
}
