import { createRoot } from "react-dom/client";
import { markStyles } from "@/shared/nonce";
import { startLanguage } from "./i18n";
import "./base.css";
import "./layout.css";
import "./controls.css";

markStyles();
const [{ App }] = await Promise.all([import("./App"), startLanguage()]);
createRoot(document.getElementById("root") as HTMLElement).render(<App />);
