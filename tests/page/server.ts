import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(process.env.TRAINYARD_PROGRAM ?? join(__dirname, "../../build/trainyard"));
export const ended = ["succeeded", "failed", "cancelled"];

/** Asks until the answer is a true one. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false>,
  patience = 60_000,
): Promise<T> {
  const until = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) throw new Error(`not within ${patience / 1000} s: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** `trainyard serve` over a data directory of its own, through as many lives as a test needs. */
export class Server {
  url = "";
  token = "";
  private readonly folder = mkdtempSync(join(tmpdir(), "trainyard-page-"));
  private process: ChildProcess | null = null;
  private printed = "";
  private port = 0;

  constructor(
    private readonly runtime = "process",
    private readonly settings: Record<string, string> = {},
  ) {}

  async start(): Promise<this> {
    const data = join(this.folder, "data");
    this.printed = "";
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("TRAINYARD_")),
    );
    const words = ["serve", "--data-dir", data, "--listen", `127.0.0.1:${this.port}`, "--runtime", this.runtime];
    const child = spawn(program, words, {
      env: { ...environment, TRAINYARD_NODE__CPUS: "64", ...this.settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (piece: Buffer) => (this.printed += piece.toString()));
    child.stderr.on("data", (piece: Buffer) => (this.printed += piece.toString()));
    this.process = child;
    const described = await eventually("the server is ready", async () => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${this.printed}`);
      try {
        const read = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as { url: string; pid: number };
        return read.pid === child.pid ? read : null;
      } catch {
        return null;
      }
    });
    this.url = described.url.replace(/\/$/, "");
    this.port = Number(new URL(this.url).port);
    this.token = readFileSync(join(data, "admin.token"), "utf8").trim();
    return this;
  }

  /** The one-time link that the first start prints. */
  async firstLink(): Promise<string> {
    return eventually("the first link is printed", async () => /http:\S+\/signin#tyl_\S+/.exec(this.printed)?.[0]);
  }

  async stop(): Promise<void> {
    const child = this.process;
    this.process = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await gone;
  }

  async destroy(): Promise<void> {
    if (this.process) {
      // Tasks outlive the server by design: end them first.
      const live = await this.call<{ jobs: Array<{ id: string }> }>(
        "GET",
        "/api/v1/jobs?state=queued,starting,running,paused&limit=500",
      ).catch(() => ({ jobs: [] }));
      await Promise.all(
        live.jobs.map((job) => this.call("DELETE", `/api/v1/jobs/${job.id}?force=true`).catch(() => undefined)),
      );
    }
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async call<T>(method: string, path: string, body?: string | object, token = this.token): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}` },
      body: typeof body === "object" ? JSON.stringify(body) : body,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (answer.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : text) as T;
  }

  async submit(file: string, token?: string): Promise<string> {
    return (await this.call<{ id: string }>("POST", "/api/v1/jobs", file, token)).id;
  }

  state(id: string): Promise<string> {
    return this.call<{ state: string }>("GET", `/api/v1/jobs/${id}`).then((job) => job.state);
  }

  waitFor(id: string, ...states: string[]): Promise<string> {
    return eventually(`job ${id} is ${states.join(" or ")}`, async () => {
      const state = await this.state(id);
      return states.includes(state) ? state : null;
    });
  }

  /** A user who can sign in by password. */
  async user(name: string, password: string): Promise<void> {
    const { link } = await this.call<{ link: string }>("POST", "/api/v1/users", { name });
    const signedIn = await this.call<{ token: string }>("POST", "/api/v1/login", { link: link.split("#")[1] });
    await this.call("POST", "/api/v1/password", { new_password: password }, signedIn.token);
  }
}
