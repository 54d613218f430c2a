let opened: File[] = [];
const listeners = new Set<() => void>();

/** Files dropped on any page wait here until the page Submit job takes them. */
export function holdOpened(files: File[]): void {
  opened = files;
  for (const listener of listeners) listener();
}

export function takeOpened(): File[] {
  const files = opened;
  opened = [];
  return files;
}

/** Calls back whenever files wait. */
export function onOpened(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
