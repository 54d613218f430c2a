import { useMe } from "@/api/session";
import { usePreference } from "@/shared/preferences";

/** The workspace lists are narrowed to and new jobs go to; empty: all of them. */
export function useWorkspace(): [string, (name: string) => void] {
  const me = useMe();
  const [kept, setKept] = usePreference("workspace", "");
  const known = me.workspaces.some((workspace) => workspace.name === kept);
  return [known ? kept : "", setKept];
}
