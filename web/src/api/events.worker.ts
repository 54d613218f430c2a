import { followEvents, type StreamReport } from "./event_reader";

// One stream for all tabs: browsers open six connections to a server and no more, and a stream holds one for good.
const scope = self as unknown as { onconnect: (event: MessageEvent) => void };
const ports = new Set<MessagePort>();
let now: StreamReport = {};

const stream = followEvents((report) => {
  if (report.state) now = { state: report.state, retryAt: report.retryAt };
  for (const port of ports) port.postMessage(report);
});

scope.onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  ports.add(port);
  port.onmessage = (message) => {
    if (message.data === "retry") stream.retry();
    if (message.data === "bye") ports.delete(port);
  };
  port.postMessage(now);
  // Somebody has just signed in, perhaps: a stream that gave up tries again.
  if (now.state === "over") stream.retry();
};
