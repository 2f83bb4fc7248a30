import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

// No test cuts the power, and forcing bytes to the disk takes much of a suite's time. Processes that tests start do force them.
fs.fsyncSync = () => undefined;
syncBuiltinESMExports();
