// A thread knows nothing of TypeScript before this.
import { register } from "tsx/esm/api";

register();
await import("./work.ts");
