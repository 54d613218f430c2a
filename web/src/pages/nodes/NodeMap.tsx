import { useRef, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { bytes } from "@/shared/format/bytes";
import { useSaid } from "@/shared/messages";
import type { Node } from ".";
import { cellState, usedGpus } from "./totals";

/** Every machine as a tile, every GPU as a cell. Arrow keys walk over the tiles. */
export function NodeMap({
  nodes,
  chosen,
  onChoose,
}: {
  nodes: Node[];
  chosen: string | null;
  onChoose: (name: string | null) => void;
}) {
  const { t } = useTranslation("nodes");
  const said = useSaid();
  const host = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9 };
    const tiles = [...(host.current?.querySelectorAll<HTMLButtonElement>(".node-tile") ?? [])];
    const at = tiles.indexOf(document.activeElement as HTMLButtonElement);
    if (at < 0) return;
    const first = tiles[0]?.offsetTop;
    const columns = Math.max(
      1,
      tiles.findIndex((tile) => tile.offsetTop !== first),
    );
    const step = event.key === "ArrowDown" ? columns : event.key === "ArrowUp" ? -columns : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    tiles[Math.min(tiles.length - 1, Math.max(0, at + step))]?.focus();
  };
  return (
    <>
      <p className="legend" aria-hidden="true">
        <span>
          <i className="gpu-cell gpu-free" /> {t("free")}
        </span>
        <span>
          <i className="gpu-cell gpu-used" /> {t("used")}
        </span>
        <span>
          <i className="gpu-cell gpu-broken" /> {t("broken")}
        </span>
      </p>
      {/* Keys move between the tiles, which are buttons of their own. */}
      <ul className="node-map" ref={host} onKeyDown={move} aria-label={t("views.map")}>
        {nodes.map((node, index) => {
          const gpus = node.gpus;
          const facts = [
            gpus.length ? t("gpu_count", { used: usedGpus(node), all: gpus.length }) : t("no_gpus"),
            t("core_count", { used: node.cpus_used, all: node.cpus }),
            `${bytes(node.memory_used)} / ${bytes(node.memory)}`,
          ];
          const down = node.healthy === false;
          return (
            <li key={node.name}>
              <button
                type="button"
                className={`node-tile${down ? " node-down" : node.draining ? " node-drained" : ""}`}
                tabIndex={chosen === null ? (index === 0 ? 0 : -1) : node.name === chosen ? 0 : -1}
                aria-pressed={node.name === chosen}
                onClick={() => onChoose(node.name === chosen ? null : node.name)}
              >
                <span className="node-name cut">
                  {node.name}
                  <span className="visually-hidden">, </span>
                </span>
                {gpus.length > 0 ? (
                  <span className="gpu-cells">
                    {gpus.map((gpu) => (
                      <i
                        key={gpu.index}
                        className={`gpu-cell gpu-${cellState(node, gpu)}`}
                        title={`GPU ${gpu.index} · ${gpu.type}`}
                      />
                    ))}
                  </span>
                ) : (
                  <span className="load">
                    <i style={{ width: `${Math.min(100, (node.cpus_used / (node.cpus || 1)) * 100)}%` }} />
                  </span>
                )}
                <span className="node-facts numbers">
                  {down
                    ? said(node, "problem") || t("down")
                    : node.draining
                      ? t("draining")
                      : facts[gpus.length ? 0 : 1]}
                  <span className="visually-hidden">
                    , {facts.slice(gpus.length && !node.draining ? 1 : 0).join(", ")}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
