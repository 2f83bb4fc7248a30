import { writeFileSync } from "node:fs";

/**
 * Loaded before a measured program (`node --import`): writes into the file that BENCH_WATCH names what the process took,
 * and its CPU time every 20 ms, so that the time of the calls can be told from that before and behind them.
 */
const path = process.env.BENCH_WATCH;
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const samples = [[Date.now(), cpuMs()]];
setInterval(() => samples.push([Date.now(), cpuMs()]), 20).unref();
process.on("exit", () => {
  if (path === undefined) return;
  samples.push([Date.now(), cpuMs()]);
  writeFileSync(path, JSON.stringify({ peakMb: process.resourceUsage().maxRSS / 1024, samples }));
});
