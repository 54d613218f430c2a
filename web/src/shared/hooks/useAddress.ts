import { useSearchParams } from "react-router-dom";

/** What stands behind the `?` of the address, and a way to change some of it; null takes a name away. */
export function useAddress(): [URLSearchParams, (changes: Record<string, string | null>, replace?: boolean) => void] {
  const [query, setQuery] = useSearchParams();
  const put = (changes: Record<string, string | null>, replace = true): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace },
    );
  return [query, put];
}
