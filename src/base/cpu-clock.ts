/** The share of wall time that always counts, even if the process hardly runs. */
const MIN_SHARE = 0.1;

/**
 * Starts a clock of the CPU time this process has used, in milliseconds. A limit by it measures
 * work: a busy machine hardly uses it up.
 */
export function startCpuClock(): () => number {
    const begin = performance.now();
    const before = process.cpuUsage();
    return () => {
        const passed = performance.now() - begin;
        const { user, system } = process.cpuUsage(before);
        // Several threads may use more CPU time than wall time.
        return Math.max(Math.min((user + system) / 1_000, passed), passed * MIN_SHARE);
    };
}
