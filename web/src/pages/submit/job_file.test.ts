import { describe, expect, it } from "vitest";
import {
  nextName,
  openFile,
  respelled,
  roleValue,
  valueAt,
  withoutRole,
  withoutSecrets,
  withRole,
  withRoleName,
  withValue,
} from "./job_file";
import {
  readArgs,
  readGpus,
  readMounts,
  readPorts,
  writeArgs,
  writeGpus,
  writeMounts,
  writePorts,
  writeTags,
} from "./values";

describe("editing a job file by path", () => {
  it("keeps comments, order and unknown keys", () => {
    const text = "# ours\nname: a # the name\nx-team: vision\nrun: echo hi\n";
    expect(withValue(text, ["name"], "b")).toBe("# ours\nname: b # the name\nx-team: vision\nrun: echo hi\n");
    expect(withValue(text, ["x-team"], undefined)).toBe("# ours\nname: a # the name\nrun: echo hi\n");
  });
  it("writes a script as a block and keeps it byte for byte", () => {
    const script = "set -e\ncat <<EOF\n  a: b\nEOF\n\techo 'x'\n";
    const text = withValue("name: a\nrun: echo\n", ["run"], script);
    expect(text).toContain("run: |");
    expect(valueAt(openFile(text), ["run"])).toBe(script);
  });
  it("drops maps that become empty, but no role", () => {
    expect(withValue("name: a\nenv:\n  A: b\n", ["env", "A"], undefined)).toBe("name: a\n");
    expect(openFile(withValue("roles:\n  w:\n    gpus: 1\n", ["roles", "w", "gpus"], undefined)).roles).toHaveLength(1);
  });
  it("moves the only role's keys when there are more", () => {
    const text = withRole("name: a\nrun: echo hi\ngpus: 1\n", "worker", { count: 2 });
    const file = openFile(text);
    expect(file.roles.map((role) => role.name)).toEqual(["main", "worker"]);
    expect(file.value).toEqual({ name: "a", roles: { main: { run: "echo hi", gpus: 1 }, worker: { count: 2 } } });
    expect(openFile(withoutRole(text, "main")).roles.map((role) => role.name)).toEqual(["worker"]);
    expect(openFile(withRoleName("name: a\nrun: x\n", "main", "train")).value).toEqual({
      name: "a",
      roles: { train: { run: "x" } },
    });
  });
  it("shows a role the defaults of the top level", () => {
    const file = openFile("image: python\nroles:\n  w: {gpus: 1}\n");
    expect(roleValue(file, file.roles[0]!, "image")).toBe("python");
  });
  it("stays JSON when it was", () => {
    expect(JSON.parse(withValue('{"name": "a"}', ["gpus"], 2))).toEqual({ name: "a", gpus: 2 });
    expect(JSON.parse(respelled("name: a\ngpus: 1\n", "json"))).toEqual({ name: "a", gpus: 1 });
    expect(respelled('{"name": "a"}', "yaml")).toBe("name: a\n");
  });
  it("names the next one and forgets secrets", () => {
    expect([nextName("mnist"), nextName("mnist-2"), nextName("a_9")]).toEqual(["mnist-2", "mnist-3", "a_10"]);
    expect(withoutSecrets('user: ann\npassword: hunter2\n"token": "abc"\n')).toBe(
      'user: ann\npassword: \n"token": ""\n',
    );
  });
});

describe("values with several spellings", () => {
  it("reads and writes them", () => {
    expect(readGpus("A100:2")).toEqual({ count: 2, type: "A100" });
    expect(readGpus({ count: 1, type: ["A", "B"] })).toBeNull();
    expect(writeGpus({ count: 2, type: "A100" })).toBe("A100:2");
    expect(readPorts({ web: 8080, any: "any", many: { first: 6000, count: 2 } })).toHaveLength(3);
    expect(writePorts([{ label: "web", first: "", count: 1 }])).toEqual({ web: "any" });
    expect(readMounts(["storage:team/pile:/mnt/pile:ro"])).toEqual([
      { from: "storage:team/pile", to: "/mnt/pile", readOnly: true },
    ]);
    expect(writeMounts([{ from: "", to: "", readOnly: true }])).toBeUndefined();
    expect(
      writeArgs([
        { key: "lr", value: "0.1" },
        { key: "", value: "" },
        { key: "q", value: "a b" },
      ]),
    ).toEqual(["--lr=0.1", "--q=a b"]);
    expect(readArgs(["--lr=0.1", "go"])).toEqual([
      { key: "lr", value: "0.1" },
      { key: "", value: "go" },
    ]);
    expect(writeTags(["nlp"])).toEqual(["nlp"]);
    expect(writeTags(["team=vision", "x"])).toEqual({ team: "vision", x: "" });
  });
});
