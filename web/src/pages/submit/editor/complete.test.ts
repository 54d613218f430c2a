import { describe, expect, it } from "vitest";
import { jsonPlace, meaning, proposals, yamlPlace, type Schema } from "./complete";

const schema: Schema = {
  type: "object",
  properties: {
    name: { type: "string", description: "Its name.\n名称。" },
    priority: { anyOf: [{ enum: ["low", "high"] }, { type: "integer" }] },
    roles: { type: "object", additionalProperties: { $ref: "#/definitions/role" } },
    alerts: {
      type: "array",
      items: { type: "object", properties: { on: { enum: ["failed"] }, to: { type: "string" } } },
    },
  },
  definitions: {
    role: {
      type: "object",
      properties: {
        gpus: { description: "GPUs.\n显卡。" },
        image: { anyOf: [{ type: "string" }, { type: "object", properties: { pull: { enum: ["always"] } } }] },
      },
    },
  },
};

const at = (marked: string) => {
  const offset = marked.indexOf("|");
  const before = marked.slice(0, offset).split("\n");
  const text = marked.replace("|", "");
  return { text, offset, lines: text.split("\n"), line: before.length - 1, column: before.at(-1)?.length ?? 0 };
};
const yaml = (marked: string) => {
  const { lines, line, column } = at(marked);
  return yamlPlace(lines, line, column);
};

describe("completion by schema", () => {
  it("finds the place in YAML by its indentation", () => {
    expect(yaml("name: a\n|")).toEqual({ path: [], present: ["name"] });
    expect(yaml("roles:\n  worker:\n    gpus: 1\n    |").path).toEqual(["roles", "worker"]);
    expect(yaml("roles:\n  worker:\n    image:\n      pu|\nname: x").path).toEqual(["roles", "worker", "image"]);
    expect(yaml("priority: |")).toMatchObject({ path: [], key: "priority" });
    expect(yaml("alerts:\n  - on: failed\n    |").path).toEqual(["alerts", "*"]);
    expect(yaml("alerts:\n- on: failed\n- |").path).toEqual(["alerts", "*"]);
  });
  it("finds the place in JSON, comments and unfinished strings included", () => {
    const place = (marked: string) => jsonPlace(at(marked).text, at(marked).offset);
    expect(place('{"roles": {"w": {"gpus": 1, |')).toEqual({ path: ["roles", "w"], present: ["gpus"] });
    expect(place('{ // {{{\n "priority": |')).toMatchObject({ path: [], key: "priority" });
    expect(place('{"alerts": [{"on": "failed"}, {"t|').path).toEqual(["alerts", "*"]);
  });
  it("proposes what is missing, through references and choices", () => {
    const labels = (marked: string) => proposals(schema, yaml(marked), "zh").map((one) => one.label);
    expect(labels("name: a\n|")).toEqual(["priority", "roles", "alerts"]);
    expect(labels("roles:\n  w:\n    gpus: 1\n    |")).toEqual(["image"]);
    expect(labels("roles:\n  w:\n    image:\n      |")).toEqual(["pull"]);
    expect(labels("priority: |")).toEqual(["low", "high"]);
    expect(labels("alerts:\n  - |")).toEqual(["on", "to"]);
  });
  it("explains in the reader's language", () => {
    expect(meaning(schema, yaml("name: a|"), "zh")).toBe("名称。");
    expect(proposals(schema, yaml("roles:\n  w:\n    |"), "en").find((one) => one.label === "gpus")?.detail).toBe(
      "GPUs.",
    );
  });
});
