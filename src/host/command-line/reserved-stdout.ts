/**
 * Reserves stdout for whoever calls the returned function: what plugins and packages print goes to
 * stderr.
 */
export function reserveStdout(): typeof process.stdout.write {
    const { stdout, stderr } = process;
    const toStdout = stdout.write.bind(stdout);
    let isOurs = false;
    stdout.write = (...args: unknown[]) =>
        isOurs ? Reflect.apply(toStdout, stdout, args) : Reflect.apply(stderr.write, stderr, args);
    return (...args: unknown[]) => {
        isOurs = true;
        try {
            // Not `toStdout`: a spinner wraps `stdout.write` to clear its line first.
            return Reflect.apply(stdout.write, stdout, args);
        } finally {
            isOurs = false;
        }
    };
}
