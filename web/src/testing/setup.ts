// What a document without a screen lacks: sizes, so that lists draw rows, and questions about the screen.
if (typeof document !== "undefined") {
  window.matchMedia = (query: string) => ({
    matches: query.includes("min-width"),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
    onchange: null,
  });
  class NoResize {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  globalThis.ResizeObserver = NoResize as typeof ResizeObserver;
  Object.defineProperty(HTMLElement.prototype, "offsetHeight", { get: () => 800 });
  Object.defineProperty(HTMLElement.prototype, "offsetWidth", { get: () => 1200 });
  Object.defineProperty(Element.prototype, "clientHeight", { get: () => 800 });
  Object.defineProperty(Element.prototype, "clientWidth", { get: () => 1200 });
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.scrollTo = () => undefined;
}
