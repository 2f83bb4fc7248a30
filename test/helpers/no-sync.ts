import { realCalls, replaceCalls } from "../../src/disk/calls.js";

// No test cuts the power, and forcing bytes to the disk takes much of a suite's time. Processes that tests start do force them,
// and so do the disks of failing-disk.ts, by which tests count when that is asked for.
replaceCalls({ ...realCalls, sync: () => undefined });
