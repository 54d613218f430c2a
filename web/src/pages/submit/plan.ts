import type { Schemas } from "@/api/client";
import { countOf, type Spec, type SpecRole } from "./spec";

type Node = Schemas["Node"];
export type Plan =
  | { kind: "now"; nodes: string[] }
  | { kind: "waits"; ahead: number; free: number; asked: number }
  | { kind: "never"; reason: "gpus" | "cpus" | "memory" | "labels"; asked: number; largest: number; type: string };

interface Room {
  name: string;
  labels: Record<string, string>;
  cpus: number;
  memory: number;
  gpus: Map<string, number>;
}

function roomOf(node: Node, whole: boolean): Room {
  const gpus = new Map<string, number>();
  for (const gpu of node.gpus ?? []) if (whole || !gpu.used) gpus.set(gpu.type ?? "", (gpus.get(gpu.type ?? "") ?? 0) + 1);
  return {
    name: node.name ?? "",
    labels: node.labels ?? {},
    cpus: (node.cpus ?? 0) - (whole ? 0 : (node.cpus_used ?? 0)),
    memory: (node.memory ?? 0) - (whole ? 0 : (node.memory_used ?? 0)),
    gpus,
  };
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function typesFor(room: Room, role: SpecRole): string[] {
  const wanted = role.resources?.gpu_types ?? [];
  return [...room.gpus.keys()].filter((type) => wanted.length === 0 || wanted.some((one) => same(one, type)));
}

const labelled = (room: Room, role: SpecRole) => Object.entries(role.node_labels ?? {}).every(([key, value]) => room.labels[key] === value);

/** Takes one task's share out of the room; false when it does not fit. */
function take(room: Room, role: SpecRole): boolean {
  const { cpu_milli = 0, memory = 0, gpus = 0 } = role.resources ?? {};
  if (!labelled(room, role) || room.cpus < cpu_milli / 1000 || room.memory < memory) return false;
  if (gpus > 0) {
    const type = typesFor(room, role).find((one) => (room.gpus.get(one) ?? 0) >= gpus);
    if (type === undefined) return false;
    room.gpus.set(type, (room.gpus.get(type) ?? 0) - gpus);
  }
  room.cpus -= cpu_milli / 1000;
  room.memory -= memory;
  return true;
}

function fits(spec: Spec, rooms: Room[]): string[] | null {
  const used: string[] = [];
  const roles = [...spec.roles].sort((a, b) => (b.resources?.gpus ?? 0) - (a.resources?.gpus ?? 0));
  for (const role of roles) {
    for (let task = 0; task < countOf(role); task += 1) {
      const room = rooms.find((one) => take(one, role));
      if (!room) return null;
      if (!used.includes(room.name)) used.push(room.name);
    }
  }
  return used;
}

function neverReason(role: SpecRole, rooms: Room[]): Plan | null {
  const { cpu_milli = 0, memory = 0, gpus = 0, gpu_types = [] } = role.resources ?? {};
  if (rooms.some((room) => take({ ...room, gpus: new Map(room.gpus) }, role))) return null;
  const largestGpus = Math.max(0, ...rooms.flatMap((room) => typesFor(room, role).map((type) => room.gpus.get(type) ?? 0)));
  const cpus = Math.max(0, ...rooms.map((room) => room.cpus));
  const most = Math.max(0, ...rooms.map((room) => room.memory));
  const type = gpu_types.join("/") || "GPU";
  if (gpus > largestGpus) return { kind: "never", reason: "gpus", asked: gpus, largest: largestGpus, type };
  if (cpu_milli / 1000 > cpus) return { kind: "never", reason: "cpus", asked: cpu_milli / 1000, largest: cpus, type };
  if (memory > most) return { kind: "never", reason: "memory", asked: memory, largest: most, type };
  return { kind: "never", reason: "labels", asked: 0, largest: 0, type };
}

/** Whether a job would find room on the machines as they are now, behind so many that wait. */
export function planFor(spec: Spec, nodes: Node[], ahead: number): Plan | null {
  if (nodes.length === 0 || spec.roles.length === 0) return null;
  const whole = nodes.map((node) => roomOf(node, true));
  for (const role of spec.roles) {
    const never = neverReason(role, whole);
    if (never) return never;
  }
  const rooms = nodes.filter((node) => node.healthy !== false).map((node) => roomOf(node, false));
  const free = rooms.reduce((sum, room) => sum + [...room.gpus.values()].reduce((a, b) => a + b, 0), 0);
  const asked = spec.roles.reduce((sum, role) => sum + countOf(role) * (role.resources?.gpus ?? 0), 0);
  const place = fits(spec, rooms);
  return place && ahead === 0 ? { kind: "now", nodes: place } : { kind: "waits", ahead, free, asked };
}
