import { openNew, type LogPlace } from "../api";

/**
 * Calls `ring` whenever a followed log has grown, until it has ended or `signal` says stop. The bytes themselves are
 * not kept: lines are asked for by number. A lost connection is taken up again.
 */
export async function followBell(place: LogPlace, ring: () => void, signal: AbortSignal): Promise<void> {
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 10_000)) {
    try {
      const reader = await openNew(place, signal);
      for (;;) {
        const piece = await reader?.read();
        if (!piece || piece.done) return ring();
        wait = 500;
        ring();
      }
    } catch {
      if (signal.aborted) return;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
