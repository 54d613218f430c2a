import { collect } from "./collect";

export const words = collect(import.meta.glob("/src/**/locales/en.json", { eager: true, import: "default" }));
