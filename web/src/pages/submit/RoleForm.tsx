import { AutoComplete, Input, InputNumber, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import type { Issue } from "@/api/client";
import { useSaid } from "@/shared/messages";
import { faultsAt } from "./faults";
import { Field, TextField } from "./Field";
import { roleValue, valueAt, type JobFile, type Path, type RoleView } from "./job_file";
import { MountRows, PairRows, PortRows } from "./Rows";
import {
  readArgs,
  readGpus,
  readMounts,
  readPairs,
  readPorts,
  writeArgs,
  writeGpus,
  writeMounts,
  writeNumberOrWord,
  writePairs,
  writePorts,
} from "./values";

interface Props {
  file: JobFile;
  role: RoleView;
  issues: Issue[];
  professional: boolean;
  gpuTypes: string[];
  images: string[];
  set: (path: Path, value: unknown) => void;
}

/** What one role runs and what each of its tasks gets. */
export function RoleForm({ file, role, issues, professional, gpuTypes, images, set }: Props) {
  const { t } = useTranslation("submit");
  const own = (key: string) => roleValue(file, role, key);
  const put = (key: string) => (value: unknown) => set([...role.at, key], value);
  const said = useSaid();
  const faults = (key: string) => [
    ...new Set([
      ...faultsAt(said, issues, [...role.at, key]),
      ...(role.at.length ? faultsAt(said, issues, [key]) : []),
    ]),
  ];
  const image = own("image");
  const imageName =
    typeof image === "object" && image !== null ? (image as { name?: string }).name : (image as string | undefined);
  const setImage = (value: string) =>
    typeof image === "object" && image !== null
      ? set([...role.at, "image", "name"], value || undefined)
      : put("image")(value || undefined);
  const gpus = readGpus(own("gpus"));
  const run = own("run");
  const restart = own("restart");
  const number = (key: string, placeholder: string, hint?: string) => (
    <TextField
      label={t(key)}
      hint={hint ?? t(`${key}_hint`)}
      value={own(key)}
      mean={writeNumberOrWord}
      faults={faults(key)}
      onChange={put(key)}
      placeholder={placeholder}
    />
  );
  return (
    <div className="fields">
      {Array.isArray(run) ? (
        <Field label={t("run")} hint={t("run_list_hint")} wide faults={faults("run")}>
          {(parts) => <Input {...parts} className="mono" readOnly value={run.map(String).join(" ")} />}
        </Field>
      ) : (
        <TextField
          label={t("run")}
          required
          wide
          mono
          rows={3}
          hint={run === "sleep infinity" ? t("run_endless") : t("run_hint")}
          value={run}
          faults={faults("run")}
          onChange={put("run")}
          placeholder="python train.py"
        />
      )}
      <Field label={t("image")} hint={t("image_hint")} wide faults={faults("image")}>
        {(parts) => (
          <AutoComplete
            {...parts}
            className="mono"
            allowClear
            placeholder="python:3.12"
            value={imageName ?? ""}
            options={images.map((value) => ({ value }))}
            showSearch={{ filterOption: (typed, option) => String(option?.value ?? "").includes(typed) }}
            onChange={(value: string) => setImage(value ?? "")}
          />
        )}
      </Field>
      <Field label={t("gpu_count")} faults={faults("gpus")} hint={gpus === null ? t("shown_in_editor") : undefined}>
        {(parts) => (
          <InputNumber
            {...parts}
            min={0}
            max={1024}
            precision={0}
            disabled={gpus === null}
            value={gpus?.count ?? 0}
            onChange={(value) => put("gpus")(writeGpus({ count: value ?? 0, type: gpus?.type ?? "" }))}
          />
        )}
      </Field>
      <Field label={t("gpu_type")}>
        {(parts) => (
          <Select
            {...parts}
            disabled={gpus === null || !gpus.count}
            value={gpus?.type ?? ""}
            options={[
              { value: "", label: t("any_gpu") },
              ...[...new Set([...gpuTypes, gpus?.type ?? ""])]
                .filter(Boolean)
                .map((value) => ({ value, label: value })),
            ]}
            onChange={(type) => put("gpus")(writeGpus({ count: gpus?.count ?? 1, type }))}
          />
        )}
      </Field>
      {number("cpus", t("cpus_default"))}
      {professional && number("memory", t("memory_default"))}
      {number("shm", t("shm_default"))}
      <PortRows
        label={t("ports")}
        hint={t("ports_hint")}
        add={t("add_port")}
        value={own("ports")}
        read={readPorts}
        write={writePorts}
        faults={faults("ports")}
        onChange={put("ports")}
      />
      {professional && (
        <>
          <PairRows
            label={t("args")}
            hint={t("args_hint")}
            add={t("add_arg")}
            names={[t("param_name"), t("value")]}
            value={own("args")}
            read={readArgs}
            write={writeArgs}
            faults={faults("args")}
            onChange={put("args")}
          />
          <PairRows
            label={t("env")}
            add={t("add_env")}
            names={[t("variable"), t("value")]}
            value={own("env")}
            read={readPairs}
            write={writePairs}
            faults={faults("env")}
            onChange={put("env")}
          />
          <MountRows
            label={t("mounts")}
            hint={t("mounts_hint")}
            add={t("add_mount")}
            value={own("mounts")}
            read={readMounts}
            write={writeMounts}
            faults={faults("mounts")}
            onChange={put("mounts")}
          />
          <SourceField name="code" value={own("code")} faults={faults("code")} onChange={put("code")} />
          <SourceField name="data" value={own("data")} faults={faults("data")} onChange={put("data")} />
          <SourceField name="model" value={own("model")} faults={faults("model")} onChange={put("model")} />
          <SourceField name="output" value={own("output")} faults={faults("output")} onChange={put("output")} />
          <TextField
            label={t("workdir")}
            mono
            value={own("workdir")}
            faults={faults("workdir")}
            onChange={put("workdir")}
            placeholder="/code"
          />
          <PairRows
            label={t("node_labels")}
            hint={t("node_labels_hint")}
            add={t("add_label")}
            names={[t("label"), t("value")]}
            value={own("node_labels")}
            read={readPairs}
            write={writePairs}
            faults={faults("node_labels")}
            onChange={put("node_labels")}
          />
          {number("min_count", t("all_of_them"))}
          {number("fail_when", "any")}
          {number("done_when", "all")}
          {typeof restart === "object" && restart !== null ? null : number("restart", "0")}
          {number("task_limit", t("duration_example"))}
          <Field label={t("main")} hint={t("main_hint")} faults={faults("main")}>
            {({ status: _status, ...parts }) => (
              <span>
                <Switch
                  {...parts}
                  checked={valueAt(file, [...role.at, "main"]) === true}
                  onChange={(on) => put("main")(on || undefined)}
                />
              </span>
            )}
          </Field>
        </>
      )}
    </div>
  );
}

function SourceField({
  name,
  value,
  faults,
  onChange,
}: {
  name: "code" | "data" | "model" | "output";
  value: unknown;
  faults: string[];
  onChange: (value: unknown) => void;
}) {
  const { t } = useTranslation("submit");
  if (typeof value === "object" && value !== null) return null;
  return <TextField label={t(name)} hint={t(`${name}_hint`)} mono value={value} faults={faults} onChange={onChange} />;
}
