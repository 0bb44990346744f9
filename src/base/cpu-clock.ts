/** What counts of the time that passes, however little of it this process is given. */
const MIN_SHARE = 0.1;

/**
 * Starts a clock of the milliseconds for which this process computed. A limit by it measures the
 * work: neither a busy machine nor a suspended process uses it up.
 */
export function startCpuClock(): () => number {
    const begin = performance.now();
    const before = process.cpuUsage();
    return () => {
        const passed = performance.now() - begin;
        const { user, system } = process.cpuUsage(before);
        // Several threads compute faster than time passes.
        return Math.max(Math.min((user + system) / 1_000, passed), passed * MIN_SHARE);
    };
}
