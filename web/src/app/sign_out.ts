import { api } from "@/api/client";

export async function signOut(): Promise<void> {
  try {
    await api.POST("/api/v1/logout");
  } finally {
    location.assign("/signin");
  }
}
