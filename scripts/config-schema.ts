import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configJsonSchema } from "./config-json-schema.js";

/** `npm run config-schema`: writes the JSON Schema that editors check the configs with. */
const path = fileURLToPath(new URL("../configs/lamp-eval.schema.json", import.meta.url));
writeFileSync(path, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
