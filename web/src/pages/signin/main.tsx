import { createRoot } from "react-dom/client";
import "@/shared/base.css";
import { SignIn } from "./SignIn";

createRoot(document.getElementById("root") as HTMLElement).render(<SignIn />);
