import { onEvents, onGap } from "@/api/events";
import { keys, queries, renew } from "@/api/queries";
import { changeLists } from "@/shared/job/lists";

let due: ReturnType<typeof setTimeout> | undefined;

/** What lists many jobs is asked for again at most once a second, however much happens. */
function renewLists(): void {
  due ??= setTimeout(() => {
    due = undefined;
    void renew(keys.jobs, keys.queue, keys.nodes);
  }, 1000);
}

/** Ties the cache to the event stream: what an event says is shown at once, the rest is asked for. */
export function keepFresh(): void {
  onEvents((events) => {
    changeLists(queries, events);
    void renew(...[...new Set(events.map((event) => event.job))].map(keys.job));
    renewLists();
  });
  onGap(() => void queries.invalidateQueries());
}
