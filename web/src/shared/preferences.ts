import { useSyncExternalStore } from "react";

/** What this browser remembers for its user. Reading and writing never fail: private windows may have no storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`ty.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`ty.${key}`);
    else localStorage.setItem(`ty.${key}`, value);
  } catch {
    // Remembered by nobody; the page works on.
  }
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();
function subscribe(listener: () => void) {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/** A remembered text that every view of it follows, in other tabs too. */
export function usePreference(key: string, fallback: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => recall(key) ?? fallback);
  return [value, (next) => remember(key, next)];
}

export function recallJson<T>(key: string, fallback: T): T {
  const text = recall(key);
  if (text === null) return fallback;
  try {
    return JSON.parse(text) as T;
  } catch {
    return fallback;
  }
}
